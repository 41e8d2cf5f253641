"""What a service answers, as plain records. Labels and classes are texts or numbers; nodes may be tuples of them."""

from ohmline.client.records.cards import Card as Card
from ohmline.client.records.cards import FoundNode as FoundNode
from ohmline.client.records.cards import Neighbour as Neighbour
from ohmline.client.records.cards import Prediction as Prediction
from ohmline.client.records.cards import Question as Question
from ohmline.client.records.cards import Questions as Questions
from ohmline.client.records.cards import Reason as Reason
from ohmline.client.records.cards import Vote as Vote
from ohmline.client.records.reports import Agreement as Agreement
from ohmline.client.records.reports import Audit as Audit
from ohmline.client.records.reports import Curves as Curves
from ohmline.client.records.reports import Disagreement as Disagreement
from ohmline.client.records.reports import Map as Map
from ohmline.client.records.reports import People as People
from ohmline.client.records.reports import Person as Person
from ohmline.client.records.state import Limit as Limit
from ohmline.client.records.state import Me as Me
from ohmline.client.records.state import Progress as Progress
from ohmline.client.records.state import State as State
from ohmline.client.records.state import Summary as Summary
from ohmline.client.records.written import Arrival as Arrival
from ohmline.client.records.written import Happened as Happened
from ohmline.client.records.written import Labelled as Labelled
from ohmline.client.records.written import ManyLabelled as ManyLabelled
from ohmline.client.records.written import Undone as Undone
from ohmline.client.records.written import Written as Written
