"""What a cell can't hold: judged by the export's policies where it stands, and counted."""

from __future__ import annotations

from outlast.formats.policy import Policy
from outlast.formats.xlsx.escaping import CELL_UNITS, cut, length


class Place(Policy):
    """The policies for cells, which have a length, too."""

    def header(self, name: str) -> str:
        """Give a column's name as a cell holds it. Raises ExportFailedError under the policy "fail"."""
        self.column = name
        return self.cell(name)

    def cell(self, value: str) -> str:
        """Give text as a cell holds it. Raises ExportFailedError under the policy "fail"."""
        value = self.held(value)
        if len(value) <= CELL_UNITS // 2 or length(value) <= CELL_UNITS:
            return value
        if self._options.unencodable == "fail":
            self._fail(f"text of more than {CELL_UNITS} characters")
        self.note("cut")
        return cut(value)
