import type { components } from '../../../client/src/generated.ts';
import type { Api } from '../../api/api.tsx';
import { typeOf } from './file-types.ts';

export type Release = components['schemas']['Release'];

/** Upload progress from 0 to 1. After that, the service reads the package. */
export type OnSent = (share: number) => void;

export type Upload = { courseId: string; file: File; signal: AbortSignal; onSent: OnSent };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Sends a package or a single file with XMLHttpRequest, which reports upload progress. Throws the service's error response. If
 * `isPreview`, the release does not become current.
 */
export function uploadPackage(
  api: Api,
  { courseId, file, signal, onSent }: Upload,
  isPreview: boolean,
): Promise<Release> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
    request.upload.onload = () => onSent(1);
    request.onload = () => {
      const answer = parsed(request.responseText);
      if (request.status < 300) resolve(answer as Release);
      else reject(answer);
    };
    request.onerror = () => reject(null);
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', abort);
    request.open(
      'PUT',
      `/course/${encodeURIComponent(courseId)}/package${isPreview ? '?Current=false' : ''}`,
    );
    request.setRequestHeader('Content-Type', typeOf(file.name));
    for (const [name, value] of Object.entries(api.headers)) request.setRequestHeader(name, value);
    request.send(file);
  });
}
