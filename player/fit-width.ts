/** Content that asks for more is cut off or scrolls: beyond this, text would be too small to read. */
const maxWidth = 2_048;

/** The width that pages of other origins get, because they cannot be measured: that of a small laptop. */
export const assumedWidth = 1_024;

/** Differences of a scroll bar's width are not worth a button. */
const tolerance = 16;

/** Centred content needs several steps, because only its right-hand overflow is measured. */
const maxSteps = 12;

/**
 * The width from which a page no longer scrolls sideways; null if it fits already, or if it grows with its frame and so
 * never fits. `neededAt` measures the page in a frame of the given width.
 */
export function designWidth(available: number, neededAt: (width: number) => number): number | null {
  let width = available;
  let growth = Number.POSITIVE_INFINITY;
  for (let step = 0; step < maxSteps; step++) {
    const more = neededAt(width) - width;
    if (more <= 1) break;
    if (more >= growth) return null;
    growth = more;
    width += more;
    if (width > maxWidth) return maxWidth;
  }
  return width > available + tolerance ? width : null;
}

/** The size and scale of a frame that shows content of this width; null if the content needs no scaling. */
export function scaled(
  place: { width: number; height: number },
  contentWidth: number | null,
): { width: number; height: number; scale: number } | null {
  if (contentWidth === null || contentWidth <= place.width + tolerance || place.width <= 0) return null;
  const scale = place.width / contentWidth;
  return { width: contentWidth, height: Math.floor(place.height / scale), scale };
}
