"""What Windows shows as the properties of the program."""

from __future__ import annotations

_TEMPLATE = """\
VSVersionInfo(
  ffi=FixedFileInfo(filevers={numbers}, prodvers={numbers}),
  kids=[
    StringFileInfo([StringTable("040904B0", [
      StringStruct("FileDescription", "Soft segmentation of sonar imagery"),
      StringStruct("FileVersion", "{version}"),
      StringStruct("InternalName", "{name}"),
      StringStruct("LegalCopyright", "MIT licence"),
      StringStruct("OriginalFilename", "{name}.exe"),
      StringStruct("ProductName", "{name}"),
      StringStruct("ProductVersion", "{version}"),
    ])]),
    VarFileInfo([VarStruct("Translation", [1033, 1200])]),
  ],
)
"""


def version_resource(name: str, version: str) -> str:
    """The text from which PyInstaller makes the version resource of an executable."""
    numbers = [int(part) for part in version.split(".")[:3] if part.isdecimal()]
    four = tuple(numbers + [0] * (4 - len(numbers)))
    return _TEMPLATE.format(name=name, version=version, numbers=four)
