"""The files that a survey leaves: a raster for each product, polygons and the report.

Where a raster would be too large for one file, the tiles stay files of their own, and a
virtual raster (VRT) shows them as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.survey.learning import Plan
from pmlda_gui.survey.store import Store
from pmlda_gui.survey.tile_files import PRODUCTS, RasterTask, TileFiles, TilePaths
from pmlda_gui.workspace.export import Result, write_results
from pmlda_gui.workspace.export.atomic import make_folder, write_whole
from pmlda_gui.workspace.export.geotiff import NO_LABEL, UNKNOWN_BANDS, remove_old
from pmlda_gui.workspace.export.provenance import program_tags, provenance_tags
from pmlda_gui.workspace.export.result import ImageResult
from pmlda_gui.workspace.export.write import stems

__all__ = [
    "LARGEST_RASTER",
    "finish",
    "raster_tasks",
    "remove_files",
    "tile_files",
]

LARGEST_RASTER = 4_000_000_000
"""Bytes of memberships before compression that are written into one file."""


def _fits_one_file(shape: tuple[int, int], topics: int, largest: int = LARGEST_RASTER) -> bool:
    """Whether the memberships of an image are written into one file."""
    return shape[0] * shape[1] * topics * 4 <= largest


def _folder_of_tiles(out: Path, stem: str) -> Path:
    """Where the tiles of an image lie that is too large for one file."""
    return out / f"{stem}_tiles"


def tile_files(
    plan: Plan, store: Store, out: Path, result: Result, largest: int
) -> list[list[TileFiles]]:
    """Where the files of each tile go: into the store, or where they are to stay."""
    names = stems([each.image for each in result.images])
    tags = tuple({**program_tags(), **provenance_tags(result)}.items())
    colours = tuple((int(r), int(g), int(b)) for r, g, b in result.colours[: result.topics])
    first = result.images[0]
    missing = [
        *([] if first.has_uncertainty else ["uncertainty"]),
        *([] if first.segmentation.unknown is not None else ["unknown"]),
    ]
    wanted = [product for product in PRODUCTS if product not in missing]
    files = []
    for number, source in enumerate(plan.sources):
        one = _fits_one_file(source.shape, result.topics, largest)
        folder = _folder_of_tiles(out, names[number])
        if not one:
            make_folder(folder)
        place = source.header.georeference
        mine = []
        for tile, window in enumerate(plan.tiles[number]):
            # Labels of what is put together into one file are made there.
            paths = {
                product: store.path(product, number, tile, "tif")
                if one
                else folder / f"{window.row}_{window.column}_{product}.tif"
                for product in wanted
                if not (one and product == "labels")
            }
            mine.append(
                TileFiles(
                    paths,
                    store.path("shown", number, tile),
                    None if place is None else place.moved(window.row, window.column),
                    tuple(result.topic_names),
                    colours,
                    tags,
                )
            )
        files.append(mine)
    return files


def remove_files(files: Sequence[Sequence[TileFiles]]) -> None:
    """Remove what other topics have left in the place of these files."""
    for path in (path for mine in files for each in mine for path in each.all):
        remove_old(path)


def raster_tasks(
    plan: Plan, out: Path, result: Result, files: Sequence[Sequence[TileFiles]]
) -> list[RasterTask]:
    """The rasters that are put together from tiles, for the images that fit one file."""
    names = stems([each.image for each in result.images])
    return [
        RasterTask(
            out / f"{stem}_{product}.tif",
            product,
            source,
            windows,
            tuple(tile.paths["memberships" if product == "labels" else product] for tile in tiles),
            tiles[0],
        )
        for source, windows, tiles, stem in zip(plan.sources, plan.tiles, files, names, strict=True)
        if "labels" not in tiles[0].paths
        for product in (*tiles[0].paths, "labels")
    ]


def finish(
    result: Result,
    out: Path,
    windows: Sequence[Sequence[Window]],
    files: Sequence[Sequence[TileFiles]],
    progress: Progress,
) -> list[Path]:
    """Write all that the survey leaves beside its rasters; gives the paths of all."""
    images: list[ImageResult] = []
    names = stems([each.image for each in result.images])
    for each, mine, tiles, stem in zip(result.images, windows, files, names, strict=True):
        if "labels" in tiles[0].paths:
            paths = [tile.paths for tile in tiles]
            written = _virtual_rasters(each.image, out, stem, mine, paths, result)
        else:
            written = [out / f"{stem}_{product}.tif" for product in (*tiles[0].paths, "labels")]
        # Those of an earlier survey would show other maps beside these.
        for path in (out / f"{stem}_{what}.{end}" for what in PRODUCTS for end in ("tif", "vrt")):
            if path not in written:
                remove_old(path)
        images.append(replace(each, rasters=written))
    return write_results(replace(result, images=images), out, progress)


def _virtual_rasters(
    image: Image,
    out: Path,
    stem: str,
    windows: Sequence[Window],
    paths: Sequence[TilePaths],
    result: Result,
) -> list[Path]:
    written = []
    own_names = {"labels": ("most likely topic",), "unknown": UNKNOWN_BANDS}
    for product in paths[0]:
        names = own_names.get(product, tuple(result.topic_names))
        content = _vrt(image, out, windows, [each[product] for each in paths], names, result)
        written.append(write_whole(out / f"{stem}_{product}.vrt", content))
    return written


def _vrt(
    image: Image,
    out: Path,
    windows: Sequence[Window],
    sources: Sequence[Path],
    names: Sequence[str],
    result: Result,
) -> bytes:
    """The text of a virtual raster, which names its tiles by their place beside it."""
    labels = names == ("most likely topic",)
    kind, missing = ("Byte", str(NO_LABEL)) if labels else ("Float32", "nan")
    height, width = image.shape
    lines = [f'<VRTDataset rasterXSize="{width}" rasterYSize="{height}">']
    place = image.georeference
    if place is not None:
        a, b, c, d, e, f = place.transform
        if place.crs:
            lines.append(f"<SRS>{escape(place.crs)}</SRS>")
        lines.append(f"<GeoTransform>{c!r}, {a!r}, {b!r}, {f!r}, {d!r}, {e!r}</GeoTransform>")
    for number, name in enumerate(names, 1):
        lines.append(f'<VRTRasterBand dataType="{kind}" band="{number}">')
        lines.append(f"<Description>{escape(name)}</Description>")
        lines.append(f"<NoDataValue>{missing}</NoDataValue>")
        if labels:
            lines += _colour_table(result)
        for window, path in zip(windows, sources, strict=True):
            where = escape(path.relative_to(out).as_posix())
            size = f'xSize="{window.width}" ySize="{window.height}"'
            lines.append(
                f'<SimpleSource><SourceFilename relativeToVRT="1">{where}</SourceFilename>'
                f"<SourceBand>{number}</SourceBand>"
                f'<SourceProperties RasterXSize="{window.width}" RasterYSize="{window.height}" '
                f'DataType="{kind}" BlockXSize="256" BlockYSize="256"/>'
                f'<SrcRect xOff="0" yOff="0" {size}/>'
                f'<DstRect xOff="{window.column}" yOff="{window.row}" {size}/></SimpleSource>'
            )
        lines.append("</VRTRasterBand>")
    lines.append("</VRTDataset>")
    return "\n".join(lines).encode()


def _colour_table(result: Result) -> list[str]:
    """The topics' colours for labels 0 to 255; pixels without a topic are transparent."""
    colours = {k: tuple(map(int, each)) for k, each in enumerate(result.colours, 1)}
    lines = ["<ColorInterp>Palette</ColorInterp>", "<ColorTable>"]
    for label in range(256):
        red, green, blue = colours.get(label, (0, 0, 0)) if label <= result.topics else (0, 0, 0)
        shown = 255 if 1 <= label <= result.topics else 0
        lines.append(f'<Entry c1="{red}" c2="{green}" c3="{blue}" c4="{shown}"/>')
    return [*lines, "</ColorTable>"]
