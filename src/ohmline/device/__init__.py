"""Where arrays live: in memory with NumPy, or on a GPU with CuPy, behind one seam."""

from ohmline.device.seam import DEVICES as DEVICES
from ohmline.device.seam import Device as Device
from ohmline.device.seam import choose as choose
