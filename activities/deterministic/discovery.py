"""DISCOVERY without a model: what the repository holds for a task, and what about it is unclear."""

from activities.brief import Brief
from activities.deterministic import extracts
from activities.deterministic.ambiguities import ambiguities
from activities.deterministic.asked import hear
from activities.deterministic.conventions import patterns
from activities.deterministic.relevance import Relevant, find_relevant, with_candidates
from activities.deterministic.responses import taken_up
from activities.deterministic.sizing import estimate
from activities.deterministic.wording import cut
from activities.index.model import Index
from states.amounts import counted
from states.artifacts.base import OpenPoint
from states.artifacts.discovery import CodebaseUnderstanding, ContextDiscoveryArtifact, RankedFile
from states.workspace import WorkspaceSource


def discover(brief: Brief, index: Index) -> ContextDiscoveryArtifact:
    """Read the repository; collect ambiguities without asking. Equal briefs give equal artifacts."""
    asked = hear(brief)
    brief.progress(f"ranking {counted(len(index.files), 'file')}")
    relevant = find_relevant(index, asked)
    questions = ambiguities(index, asked, relevant)
    relevant = with_candidates(relevant, (c.path for q in questions for c in q.candidates))
    brief.progress(
        f"{counted(len(relevant.files), 'file looks', 'files look')} relevant; reading how they connect"
    )
    shapes = patterns(index, relevant)
    return ContextDiscoveryArtifact(
        commit=brief.commit,
        source=brief.source,
        files_total=len(index.files),
        languages=index.languages,
        codebase_understanding=CodebaseUnderstanding(
            relevant_files=(*relevant.paths, *(file.path for file in relevant.further)),
            ranking=_ranking(index, relevant),
            existing_patterns=shapes,
            integration_points=extracts.integration_points(index, relevant),
            dependencies=extracts.dependencies(index, relevant),
        ),
        ambiguities_discovered=questions,
        extracted_context=extracts.extract(index, relevant),
        conventions=tuple(shape.description for shape in shapes),
        estimate=estimate(index, asked, relevant),
        feedback_answered=brief.feedback,
        open_points=_open_points(brief, index),
    )


def _ranking(index: Index, relevant: Relevant) -> tuple[RankedFile, ...]:
    return tuple(
        RankedFile(
            path=file.path,
            role=index.files[file.path].role,
            language=index.files[file.path].language,
            reasons=file.reasons,
            tests=index.tests_of(file.path),
            further=further,
        )
        for files, further in ((relevant.files, False), (relevant.further, True))
        for file in files
    )


def _open_points(brief: Brief, index: Index) -> tuple[OpenPoint, ...]:
    """Feedback that names nothing cannot be followed by a machine, and a folder has no past."""
    points = [
        OpenPoint(
            subject=f'feedback: "{cut(text, 200)}"',
            why="it names no file or symbol that exists; a model or a person decides what else to look at",
        )
        for text in brief.feedback
        if not taken_up(text, index)
    ]
    if brief.source is WorkspaceSource.FOLDER:
        points.append(
            OpenPoint(
                subject="the repository is a plain folder",
                why="it is no git repository; what was read is a copy of the folder as it was at the start",
            )
        )
    return tuple(points)
