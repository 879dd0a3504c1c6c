import type { CompleteWhen, CourseTree, MediaStandard } from './types.ts';
import { addressTree } from './web.ts';

/** The name of the file within its release. It does not depend on the upload, so that a new release replaces it. */
export const mediaFiles: Record<MediaStandard, string> = {
  document: 'document.pdf',
  video: 'video.mp4',
  audio: 'audio.mp3',
  page: 'page.html',
};

/** The rule if the course has none: the end of a document, or most of a recording, because many end with credits. */
const defaultRules: Record<MediaStandard, CompleteWhen> = {
  document: { Percent: 100 },
  video: { Percent: 90 },
  audio: { Percent: 90 },
  page: { Percent: 100 },
};

/** The course tree of a single file. Captions are files such as `captions.de.vtt` beside it. */
export function mediaTree(standard: MediaStandard, title: string, paths: readonly string[]): CourseTree {
  const { Units, ...tree } = addressTree(mediaFiles[standard], title);
  const Captions = paths
    .filter((path) => /^[^/]*\.vtt$/i.test(path))
    .sort()
    .map((path) => ({
      Href: encodeURIComponent(path),
      Language: /\.([a-z]{2,3}(?:-[a-z0-9]+)*)\.vtt$/i.exec(path)?.[1] ?? null,
    }));
  const Media = { CompleteWhen: defaultRules[standard], Release: 0, Captions };
  return {
    ...tree,
    Units: Units.map((unit) => ({ ...unit, UnitID: standard, Kind: 'sco' as const, Media })),
  };
}
