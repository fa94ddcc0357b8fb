"""`python -m wakeful` is the `wakeful` command."""

from wakeful.cli.main import main

if __name__ == "__main__":
    main()
