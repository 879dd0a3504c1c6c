import './course-image.css';
import { IconBook2 } from '@tabler/icons-react';
import { useState } from 'react';

/** `insecure`: an image without HTTPS, which the page's Content-Security-Policy blocks. */
export type ImageState = 'none' | 'insecure' | 'loading' | 'shown' | 'broken';

type Loaded = { url: string; state: 'shown' | 'broken' };

/** The state of the image at a URL, and the handlers that the image needs for it. */
export function useCourseImage(url: string | null) {
  const [latest, setLatest] = useState<Loaded | null>(null);
  const is = (state: Loaded['state']) => () => {
    if (url !== null) setLatest({ url, state });
  };
  const state: ImageState =
    url === null
      ? 'none'
      : !/^https:/i.test(url)
        ? 'insecure'
        : latest?.url === url
          ? latest.state
          : 'loading';
  return { url, state, onLoad: is('shown'), onError: is('broken') };
}

/** Four arrangements of the placeholder, so that neighbouring courses differ. */
const arrangements = 4;

function arrangementOf(courseId: string): number {
  let sum = 0;
  for (const character of courseId) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % arrangements;
}

type CourseImageProps = { courseId: string; image: ReturnType<typeof useCourseImage>; className?: string };

/**
 * A course's image at a fixed ratio. A placeholder is shown while it loads, and in place of a missing or broken image.
 * The image only decorates the title beside it, so it has no alternative text. Its host does not learn which page shows
 * it.
 */
export function CourseImage({ courseId, image, className = '' }: CourseImageProps) {
  const { url, state, onLoad, onError } = image;
  const isLoadable = state === 'loading' || state === 'shown';
  return (
    <div
      className={`course-image ${className}`}
      data-image={state}
      data-arrangement={arrangementOf(courseId)}
    >
      <IconBook2 size={40} stroke={1.3} aria-hidden />
      {isLoadable && url !== null && (
        <img
          key={url}
          src={url}
          alt=""
          loading="lazy"
          decoding="async"
          referrerPolicy="no-referrer"
          onLoad={onLoad}
          onError={onError}
        />
      )}
    </div>
  );
}
