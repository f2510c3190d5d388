"""Uploads the files of an experiment to a dataset of the Hugging Face Hub, where one is configured."""

import importlib.util
import os
from pathlib import Path

from phasegate.cooperbench.files import all_there
from phasegate.cooperbench.interface import FileInterface
from phasegate.settings import Settings
from states.amounts import counted

TOKEN = "HF_TOKEN"
"""the variable that Hugging Face's own tools read"""


def upload(given: FileInterface) -> str:
    """Upload plans and trajectory under their relative paths, in one commit; says in a sentence what it did.

    Never raises for the Hub's trouble: the files are on disk, and a plan is not undone by a failed upload.
    """
    target, token = Settings.load().hf_repo, os.environ.get(TOKEN, "")
    if not target or not token:
        missing = " and ".join(n for n, v in (("PHASEGATE_HF_REPO", target), (TOKEN, token)) if not v)
        return f"not uploaded: set {missing} to upload, or --no-save-to-hf to hear no more of it"
    if importlib.util.find_spec("huggingface_hub") is None:
        return "not uploaded: the package huggingface_hub is not installed"
    if not all_there(given):
        return "not uploaded: not all files are there"
    # takes a second to import, and is only needed here
    from httpx import HTTPError
    from huggingface_hub import CommitOperationAdd, HfApi

    output, paths = Path(given.output), given.file_paths.values()
    try:
        done = HfApi(token=token).create_commit(
            repo_id=target,
            repo_type="dataset",
            operations=[
                CommitOperationAdd(path_in_repo=path.as_posix(), path_or_fileobj=str(output / path))
                for path in paths
            ],
            commit_message=f"Plans: {given.folder.as_posix()} k{given.k}",
            create_pr=given.create_pr,
        )
    except (HTTPError, OSError, ValueError) as error:
        return (
            f"not uploaded to {target}: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        )
    where = f"as pull request {done.pr_url}" if done.pr_url else f"as {done.commit_url}"
    return f"uploaded {counted(len(paths), 'file')} to {target} {where}"
