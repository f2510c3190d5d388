"""Features with the files that their real change touched, and the clones that they are looked for in."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from activities.git import Git, GitError
from phasegate.problems import WrongUse
from states.wrong_input import first_wrong


class Wanted(BaseModel):
    """What was asked for at a commit. `repository` is `owner/name`."""

    id: str
    repository: str = Field(pattern=r"^[\w.-]+/[\w.-]+$")
    base: str = Field(min_length=1)
    text: str


class Feature(Wanted):
    """With the files that the real change touched: `gold` are paths, new ones too."""

    gold: tuple[str, ...] = Field(min_length=1)


class FeaturesFile(BaseModel):
    """The whole file; fields that are not known here are passed over."""

    features: tuple[Feature, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Base:
    """A commit that features start from: a folder that an index can be opened at, and the full hash."""

    root: Path
    commit: str


def read_features(path: Path) -> tuple[Feature, ...]:
    """Read a features file. Raises WrongUse."""
    try:
        return FeaturesFile.model_validate_json(path.read_bytes()).features
    except OSError as error:
        raise WrongUse(f"{path} cannot be read ({error.strerror}); give a features file") from None
    except ValidationError as error:
        where, rule = first_wrong(error)
        raise WrongUse(f"{path} is no features file: {where or 'the file'}: {rule}; mend it") from None


def find_bases(features: Iterable[Wanted], clones: Path, folder: Path) -> dict[tuple[str, str], Base]:
    """Every commit by repository and base. Clones are read and never written to; `folder` takes one small
    folder for each. Raises WrongUse for the first clone or commit that is missing."""
    wanted = dict.fromkeys((feature.repository, feature.base) for feature in features)
    return asyncio.run(_find_bases(list(wanted), clones, folder))


async def _find_bases(
    wanted: list[tuple[str, str]], clones: Path, folder: Path
) -> dict[tuple[str, str], Base]:
    found = {}
    for repository, base in wanted:
        objects = await _git_folder(clones / repository)
        try:
            name = f"{base}^{{commit}}"
            commit = await Git().line(
                *("--git-dir", objects, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
            )
        except GitError:
            raise WrongUse(
                f"{clones / repository} has no commit {base[:60]}; fetch it into that clone"
            ) from None
        found[repository, base] = Base(_stand_in(folder / repository, objects), commit)
    return found


async def _git_folder(clone: Path) -> Path:
    """Where a clone keeps its objects; git is not let look in the folders above, which may be a clone too."""
    inside = clone / ".git"
    try:
        place = await Git().line(
            *("--git-dir", inside if inside.exists() else clone),
            *("rev-parse", "--path-format=absolute", "--git-common-dir"),
        )
    except GitError:
        raise WrongUse(f"{clone} is no git clone; clone the repository there, bare or not") from None
    return Path(place)


def _stand_in(root: Path, objects: Path) -> Path:
    """A folder that is to git a checkout of the clone, with nothing checked out: an index reads objects."""
    root.mkdir(parents=True, exist_ok=True)
    (root / ".git").write_text(f"gitdir: {objects}\n", encoding="utf-8")
    return root
