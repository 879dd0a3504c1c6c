import {
  AnnotationType,
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentProxy,
  type PDFPageProxy,
  TextLayer,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerAddress from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import { make } from './elements.ts';
import type { MediaFile, ShownFile } from './media-file.ts';
import { messages } from './messages.ts';
import { createTimer } from './timer.ts';

GlobalWorkerOptions.workerSrc = workerAddress;

const addresses = import.meta.glob(
  [
    '../node_modules/pdfjs-dist/cmaps/*.bcmap',
    '../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}',
    '../node_modules/pdfjs-dist/wasm/{jbig2,openjpeg,qcms_bg}.wasm',
  ],
  { query: '?url', import: 'default', eager: true },
);
const byName = new Map(
  Object.entries(addresses).map(([path, address]) => [path.replace(/^.*\//, ''), address]),
);

/** Fetches fonts, character maps and decoders, which only some documents need, from the player's own files. */
class OwnFiles {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const address = byName.get(filename);
    if (address === undefined) throw new Error(`The player has no file ${filename}`);
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${filename} could not be loaded`);
    return new Uint8Array(await response.arrayBuffer());
  }
}

/** More pixels would take too much memory on a phone. */
const maxPixelRatio = 2;
/** A position counts once the learner has stopped scrolling. */
const restDelay = 400;

/** Shows all pages of a PDF below each other. They are read as far as the learner has scrolled. */
export async function showDocument(file: MediaFile): Promise<ShownFile> {
  const { place, address, location, saw, at } = file;
  const task = getDocument({ url: address, BinaryDataFactory: OwnFiles, useWorkerFetch: false });
  const close = () => void task.destroy();
  let pdf: PDFDocumentProxy;
  try {
    pdf = await task.promise;
  } catch (error) {
    console.error(error);
    const { name } = error as Error;
    return {
      loaded: name === 'ResponseException' || name === 'InvalidPDFException' ? 'missing' : 'unreachable',
      close,
    };
  }
  const first = await pdf.getPage(1);
  const pages = Array.from({ length: pdf.numPages }, (_, index) =>
    addPage(place, first, index + 1, pdf.numPages),
  );
  const drawn = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting && target instanceof HTMLElement) void draw(pdf, target);
    },
    { root: place, rootMargin: '100% 0px' },
  );
  for (const page of pages) drawn.observe(page);

  const rest = createTimer(() => {
    if (document.hidden) return;
    const { top, bottom, height } = place.getBoundingClientRect();
    // The lower margin of a page need not be visible.
    const isRead = (page: HTMLElement) => {
      const bounds = page.getBoundingClientRect();
      return bounds.bottom - bounds.height * 0.1 <= bottom;
    };
    const read = pages.findLastIndex(isRead) + 1;
    if (read > 0) saw(0, read, pages.length);
    at(
      Math.max(
        0,
        pages.findIndex((page) => page.getBoundingClientRect().bottom > top + height / 3),
      ),
    );
  });
  const watch = () => rest.start(restDelay);
  place.addEventListener('scroll', watch, { passive: true });
  document.addEventListener('visibilitychange', watch);
  const resize = new ResizeObserver(() => {
    for (const page of pages) delete page.dataset.width;
    for (const page of pages) {
      drawn.unobserve(page);
      drawn.observe(page);
    }
    watch();
  });
  resize.observe(place);
  pages[location]?.scrollIntoView();
  watch();
  return {
    loaded: 'shown',
    close() {
      resize.disconnect();
      drawn.disconnect();
      rest.cancel();
      close();
    },
  };
}

/** An empty page of the right size. Until it is drawn, it has the proportions of the first page. */
function addPage(place: HTMLElement, first: PDFPageProxy, number: number, count: number): HTMLElement {
  const { width, height } = first.getViewport({ scale: 1 });
  const page = make('section', 'pdf-page');
  page.dataset.number = String(number);
  page.setAttribute('aria-label', messages.pageOf(number, count));
  page.style.aspectRatio = `${width} / ${height}`;
  place.append(page);
  return page;
}

async function draw(pdf: PDFDocumentProxy, place: HTMLElement): Promise<void> {
  const width = place.clientWidth;
  if (place.dataset.width === String(width)) return;
  place.dataset.width = String(width);
  const page = await pdf.getPage(Number(place.dataset.number));
  const plain = page.getViewport({ scale: 1 });
  place.style.aspectRatio = `${plain.width} / ${plain.height}`;
  const viewport = page.getViewport({ scale: width / plain.width });
  const ratio = Math.min(window.devicePixelRatio, maxPixelRatio);
  const canvas = make('canvas', '');
  canvas.width = Math.floor(viewport.width * ratio);
  canvas.height = Math.floor(viewport.height * ratio);
  await page.render({ canvas, viewport, transform: [ratio, 0, 0, ratio, 0, 0] }).promise;
  const text = make('div', 'textLayer');
  text.style.setProperty('--total-scale-factor', String(viewport.scale));
  // Another drawing of the same page has begun meanwhile.
  if (place.dataset.width !== String(width)) return;
  place.replaceChildren(canvas, text, ...(await linksOf(page, viewport)));
  await new TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport }).render();
}

/** The links to other sites. */
async function linksOf(
  page: PDFPageProxy,
  viewport: ReturnType<PDFPageProxy['getViewport']>,
): Promise<HTMLElement[]> {
  const annotations = await page.getAnnotations();
  return annotations.flatMap(({ annotationType, url, rect }) => {
    if (annotationType !== AnnotationType.LINK || !/^https?:/i.test(url ?? '')) return [];
    const [x1, y1] = viewport.convertToViewportPoint(rect[0], rect[1]);
    const [x2, y2] = viewport.convertToViewportPoint(rect[2], rect[3]);
    const link = make('a', 'pdf-link');
    Object.assign(link, { href: url, target: '_blank', rel: 'noopener' });
    link.setAttribute('aria-label', url);
    const share = (part: number, whole: number) => `${(part / whole) * 100}%`;
    link.style.insetInlineStart = share(Math.min(x1, x2), viewport.width);
    link.style.insetBlockStart = share(Math.min(y1, y2), viewport.height);
    link.style.inlineSize = share(Math.abs(x2 - x1), viewport.width);
    link.style.blockSize = share(Math.abs(y2 - y1), viewport.height);
    return [link];
  });
}
