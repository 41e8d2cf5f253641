"""Compiled code: decorators, generic functions that dispatch on a tuple's type, and a cache that never lies.

A *generic* function is a Python stub. `implements` gives it a compiled body for one `NamedTuple`
class, so that one compiled loop can drive every learner over every kernel under every query, and the
arithmetic of each is written once.
"""

from ohmline.compiled.bits import all_bits_if_above as all_bits_if_above
from ohmline.compiled.bits import highest_bit as highest_bit
from ohmline.compiled.bits import lowest_bit as lowest_bit
from ohmline.compiled.borrow import borrowed as borrowed
from ohmline.compiled.borrow import prefetch as prefetch
from ohmline.compiled.cache import kept as kept
from ohmline.compiled.decorators import any_order as any_order
from ohmline.compiled.decorators import compiled as compiled
from ohmline.compiled.decorators import inlined as inlined
from ohmline.compiled.decorators import internal as internal
from ohmline.compiled.decorators import reassociated as reassociated
from ohmline.compiled.dot import dot as dot
from ohmline.compiled.generic import generic as generic
from ohmline.compiled.generic import has_body as has_body
from ohmline.compiled.generic import has_own_body as has_own_body
from ohmline.compiled.generic import implements as implements
from ohmline.compiled.interrupt import Stopped as Stopped
from ohmline.compiled.interrupt import interrupted as interrupted
from ohmline.compiled.pointer import address_of as address_of
from ohmline.compiled.pointer import caller as caller
from ohmline.compiled.pointer import fingerprint as fingerprint
from ohmline.compiled.pointer import loader as loader
from ohmline.compiled.pointer import packed as packed
from ohmline.compiled.pointer import packed_form as packed_form
from ohmline.compiled.pointer import pointer_to as pointer_to
from ohmline.compiled.pointer import unpacked as unpacked
from ohmline.compiled.sources import fingerprint_of as fingerprint_of
from ohmline.compiled.undisturbed import undisturbed as undisturbed
