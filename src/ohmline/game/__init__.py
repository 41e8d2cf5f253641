"""The game: streams, play, traces."""

from ohmline.game.adversary import play_adversary
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace

__all__ = ["Stream", "Trace", "play", "play_adversary"]
