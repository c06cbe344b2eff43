@echo off
rem Tells Windows, for whoever runs this, that .pmlda files are opened by this program.
reg add "HKCU\Software\Classes\.pmlda" /ve /d "pmlda_gui.workspace" /f
reg add "HKCU\Software\Classes\pmlda_gui.workspace" /ve /d "pmlda_gui workspace" /f
reg add "HKCU\Software\Classes\pmlda_gui.workspace\DefaultIcon" /ve /d "%~dp0pmlda-gui.exe,0" /f
reg add "HKCU\Software\Classes\pmlda_gui.workspace\shell\open\command" /ve /d "\"%~dp0pmlda-gui.exe\" \"%%1\"" /f
