"""The only disk: what is read, found, written and appended, and what the disk refuses.

``disk`` reads and turns what the system raises into refusals; ``boundary`` says what lies in a project; ``find`` looks
for configurations and logs, ``walk`` for notes; ``write`` replaces and appends, ``config`` changes a configuration.
"""

from mdtally.project.files.boundary import display_path
from mdtally.project.files.disk import (
    LIMIT,
    MISSING,
    TAIL_BYTES,
    absolute,
    attempt,
    document_of,
    is_folder,
    is_within,
    last_lines,
    open_database,
    open_file,
    read,
    read_lines,
    read_objects,
    read_rows,
    read_text,
    relative,
    size,
    status,
)
from mdtally.project.files.find import (
    CONFIG_NAMES,
    find_baseline,
    find_config,
    find_log,
    find_logs,
    find_project_root,
    matching,
    own_config,
    read_config,
    read_template,
)
from mdtally.project.files.walk import find_markdown
from mdtally.project.files.write import CHANGED, EXISTS, append_line, check_replace, edit, lock_file, write_atomically
from mdtally.text.model import Refusal
