"""`python -m ohmline` is the command `ohmline`, where a virtual environment's commands are not on the path."""

from ohmline.cli import main

if __name__ == "__main__":
    main()
