"""Whether a file is equal to what is written of its records, found while it is read. Pure."""

from typing import BinaryIO

from datasets.declared.writing import FileNoted


class Comparison:
    """Compares a file with the text that is written of its records, a piece at a time, while it is read."""

    def __init__(self, file: BinaryIO, noted: FileNoted) -> None:
        self._file, self._noted = file, noted
        self._at, self._line = 0, 1

    def go_on(self, text: str) -> None:
        """Whether the file goes on with this text; leaves it at the place where it is read."""
        if self._noted.differs:
            return
        data = text.encode("utf-8")
        here = self._file.tell()
        self._file.seek(self._at)
        found = self._file.read(len(data))
        self._file.seek(here)
        if found != data:
            pairs = enumerate(zip(found, data, strict=False))
            same = next((at for at, (read, written) in pairs if read != written), len(found))
            self._noted.differs = self._line + found.count(b"\n", 0, same)
        self._at += len(data)
        self._line += data.count(b"\n")

    def finish(self) -> None:
        """Whether the file ends here."""
        self._file.seek(self._at)
        if not self._noted.differs and self._file.read(1):
            self._noted.differs = self._line
