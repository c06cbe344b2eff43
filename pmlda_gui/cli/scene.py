"""`pmlda-gui scene NAME --out DIR`: write a synthetic scene with its truth.

Three files come out: the image as a float32 GeoTIFF, the same as a PNG to look
at, and the true memberships as a GeoTIFF with one described band a topic.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pmlda_gui.imagery.image import Image
    from pmlda_gui.imagery.scenes import Scene

__all__ = ["add_parser", "write_scene"]

# Plain metres around latitude 0, longitude 0, where things lie that have no place.
_PLAIN_METRES = "+proj=aeqd +lat_0=0 +lon_0=0 +datum=WGS84 +units=m"
_BRIGHTEST_PERCENT = 99.5


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command and its options."""
    parser = commands.add_parser(
        "scene",
        help="write a synthetic scene with its true memberships",
        description="Write a synthetic scene as GeoTIFF and PNG, and its memberships as GeoTIFF.",
    )
    parser.add_argument("name", metavar="NAME", help="which scene, such as demo")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="where to write")
    parser.add_argument(
        "--size", metavar="HxW", type=_size, default=(600, 544), help="pixels (default 600x544)"
    )
    parser.add_argument(
        "--seed", metavar="S", type=_seed, default=0, help="seed of its random numbers (default 0)"
    )
    parser.set_defaults(run=_run)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,6})[x×](\d{1,6})", text)
    if match is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a size: write height and width in pixels as in 600x544"
        )
    return int(match[1]), int(match[2])


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed: give a whole number from 0 on")
    return int(text)


def _run(arguments: argparse.Namespace) -> int:
    from pmlda_gui.imagery.scenes import make_scene

    scene = make_scene(arguments.name, arguments.size, arguments.seed)
    for path in write_scene(scene, arguments.out, arguments.name):
        print(path)
    return 0


def write_scene(scene: Scene, folder: Path, name: str) -> tuple[Path, Path, Path]:
    """Write image, picture and truth into `folder`, which is made if need be."""
    from pmlda_gui.workspace.export.atomic import appearing, make_folder

    image_path, picture_path, truth_path = (
        folder / f"{name}{ending}" for ending in (".tif", ".png", "_memberships.tif")
    )
    image = scene.image
    bands = image.pixels.transpose(2, 0, 1) if image.is_colour else image.pixels[None]
    make_folder(folder)
    colours = "RGB" if image.is_colour else "MINISBLACK"
    with appearing(image_path) as unfinished:
        _write_geotiff(unfinished, bands, image.band_names, colours, scene)
    with appearing(truth_path) as unfinished:
        _write_geotiff(unfinished, scene.memberships, scene.topics, "MINISBLACK", scene)
    with appearing(picture_path) as unfinished:
        _write_picture(unfinished, image)
    return image_path, picture_path, truth_path


def _write_geotiff(
    path: Path,
    bands: NDArray[np.float32],
    descriptions: tuple[str, ...],
    photometric: str,
    scene: Scene,
) -> None:
    """Bands (count, height, width) with nodata as NaN where the image is not valid.

    `photometric` is the TIFF's own word for what three bands mean together.
    """
    import numpy as np
    import rasterio
    from rasterio import Affine

    pixel_size = scene.pixel_size or 1.0
    count, height, width = bands.shape
    profile = {
        "driver": "GTiff",
        "count": count,
        "height": height,
        "width": width,
        "dtype": "float32",
        "nodata": float("nan"),
        "compress": "deflate",
        "photometric": photometric,
        "transform": Affine(pixel_size, 0, 0, 0, -pixel_size, height * pixel_size),
    }
    if scene.pixel_size is not None:
        profile["crs"] = _PLAIN_METRES
    with rasterio.open(path, "w", **profile) as dataset:
        dataset.write(np.where(scene.image.valid, bands, np.float32(np.nan)))
        dataset.descriptions = descriptions


def _write_picture(path: Path, image: Image) -> None:
    """An 8 bit picture in which the brightest half percent is white, nodata black."""
    import numpy as np
    from skimage.io import imsave

    white = np.percentile(image.pixels[image.valid], _BRIGHTEST_PERCENT) if image.valid.any() else 1
    picture = np.rint(255 * np.clip(image.pixels / max(white, 1e-12), 0, 1)).astype(np.uint8)
    imsave(path, picture, check_contrast=False)
