"""The game: streams, play, traces."""

from ohmline.game.active import play_active as play_active
from ohmline.game.adversary import play_adversary as play_adversary
from ohmline.game.files import read_points as read_points
from ohmline.game.follow import follow as follow
from ohmline.game.images import Images as Images
from ohmline.game.measures import Confusion as Confusion
from ohmline.game.measures import Measures as Measures
from ohmline.game.measures import measure as measure
from ohmline.game.orders import Orders as Orders
from ohmline.game.orders import play_orders as play_orders
from ohmline.game.play import play as play
from ohmline.game.stream import Stream as Stream
from ohmline.game.trace import Trace as Trace
from ohmline.game.tune import Tried as Tried
from ohmline.game.tune import Tuned as Tuned
from ohmline.game.tune import tune as tune
from ohmline.game.until import Until as Until
from ohmline.game.vectors import Spirals as Spirals
from ohmline.game.vectors import SwissRoll as SwissRoll
from ohmline.game.vectors import VectorSource as VectorSource
