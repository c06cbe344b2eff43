"""Where the built program starts."""

import sys

from pmlda_gui.__main__ import main

sys.exit(main())
