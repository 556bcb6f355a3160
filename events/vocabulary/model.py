"""The vocabulary: every fact that a table, a property, a meter or a reviewer can report, as frozen strict structs.

Invariant: an event is a past-tense fact with a permanent tag and version; it has no defaults; values are integers, booleans, text
and lists of these; money is integer cents, meters are hundredths of a cent, both within ±(2**53 - 1). Constructing a value
validates it as decoding its bytes does. An event records what happened, right or wrong; it does not judge. A field is never
changed: a changed event is a new version (see `upcast.py`). Adding a value to a closed list (a wager, a reason) is not a change
of fields.

Positions are `"dealer"` or a seat from 1 (at the dealer's left) clockwise to 6; cards are `"Ks"`, `"Td"`, the joker is `"Jk"`, an
unread card null. Version 2 of an event that names a seat has room for a seventh (California) and is otherwise version 1: see
`seven_seats`.
"""

# In the order of the vocabulary.
# isort: off
from events.vocabulary.base import *
from events.vocabulary.table_events import *
from events.vocabulary.key_events import *
from events.vocabulary.round_events import *
from events.vocabulary.settlement_events import *
from events.vocabulary.seven_seats import *
from events.vocabulary.game_events import *
from events.vocabulary.correction_events import *
from events.vocabulary.review_events import *
from events.vocabulary.case_events import *
from events.vocabulary.observation_events import *
