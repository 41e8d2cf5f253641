"""The game: streams, play, traces."""

from ohmline.game.active import play_active
from ohmline.game.adversary import play_adversary
from ohmline.game.files import read_points
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.game.tune import Tried, Tuned, tune
from ohmline.game.vectors import Images, Spirals, SwissRoll, VectorSource, follow

__all__ = [
    "Images",
    "Spirals",
    "Stream",
    "SwissRoll",
    "Trace",
    "Tried",
    "Tuned",
    "VectorSource",
    "follow",
    "play",
    "play_active",
    "play_adversary",
    "read_points",
    "tune",
]
