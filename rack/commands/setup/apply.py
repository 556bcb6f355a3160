"""`rack apply`: set up the property from its file, in the name of a person of the office."""

import argparse
from contextlib import closing

from rack.arguments import add, given_path
from rack.commands.setup.plan import print_plan
from rack.errors import Exit
from rack.output import Output

HELP = "Make the property as property.toml says: events of the office, running files, units; a second time changes nothing"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder DIR", "Folder of the property (`rack init`).", type=given_path)
    add(parser, "--by PERSON", "Who applies it: a person of the file with the role administrator or compliance.", required=True)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Apply the file."""
    from analytics.theory.theory import percent_of
    from desk.house.plan import APPLIERS, apply
    from desk.house.property_file import read_property
    from desk.review.persons import acting
    from rack.opening import log_at, now_us

    made = read_property(arguments.folder)
    acting(made.persons, arguments.by, *APPLIERS)
    is_new = made.log_file is None or not made.log_file.exists()  # on Kafka one that is there is opened
    with closing(log_at(made.address, create=is_new, property_id=made.form.property.id if is_new else None)) as log:
        plan = apply(made, log, percent_of, by=arguments.by, now_us=now_us())
    for each in plan.files:
        each.write()
    print_plan(plan, output, "appended")
    filed = [step.stream.removeprefix("table/") for step in plan.steps if step.events and step.stream.startswith("table/")]
    if filed:
        output.note(f"a second person signs what was filed: rack rules sign {' '.join(filed)} --by PERSON --log {made.address}")
    if any(each.path.name == "login.toml" and each.mark == "+" for each in plan.files):
        output.note(f"invite each person to set up a sign-in: rack sign-in invite PERSON --log {made.address}")
    if any(each.path.suffix == ".service" and each.mark in "+~" for each in plan.files):
        output.note(
            f"install the units: copy {made.folder}/units/rack-* to /etc/systemd/system, then systemctl enable --now them"
        )
    return Exit.CLEAN
