"""The game: streams, play, traces."""

from ohmline.game.adversary import play_adversary
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.game.tune import Tried, Tuned, tune

__all__ = ["Stream", "Trace", "Tried", "Tuned", "play", "play_adversary", "tune"]
