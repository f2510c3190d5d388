"""`phasegate demo`: a whole job on a small repository, told step by step, with every claim checked."""
