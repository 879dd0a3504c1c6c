import type { components } from '../../../client/src/generated.ts';
import type { Api } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';

export type Release = components['schemas']['Release'];

/** Upload progress from 0 to 1. After that, the service reads the package. */
export type OnSent = (share: number) => void;

type Upload = { courseId: string; file: File; signal: AbortSignal; onSent: OnSent };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Sends a package with XMLHttpRequest, which reports upload progress. Throws the service's error response. */
function uploadPackage(api: Api, { courseId, file, signal, onSent }: Upload): Promise<Release> {
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
    request.open('PUT', `/course/${encodeURIComponent(courseId)}/package`);
    request.setRequestHeader('Content-Type', 'application/zip');
    for (const [name, value] of Object.entries(api.headers)) request.setRequestHeader(name, value);
    request.send(file);
  });
}

/** Whether a course with this CourseID exists. */
export async function isKnown({ client }: Api, courseId: string): Promise<boolean> {
  const { error } = await client.GET('/course/{CourseID}', { params: { path: { CourseID: courseId } } });
  if (error && toFailure(error).code !== 'course_not_found') throw error;
  return !error;
}

/** If `title` is empty, the package's own title is used. */
export type Importing = Upload & { title: string };

/** `isCourseLeft` is true if the course was created and could not be deleted again. */
export type Imported = { release: Release; isNew: boolean } | { error: unknown; isCourseLeft: boolean };

/** Imports a package; a missing course is created as a draft. A failed import leaves no empty course behind. */
export async function importPackage(api: Api, input: Importing): Promise<Imported> {
  const { client } = api;
  const params = { path: { CourseID: input.courseId } };
  const put = async (body: { Title: string; Status?: 'draft' }) => {
    const { error, response } = await client.PUT('/course/{CourseID}', { params, body });
    if (error) throw error;
    return response.status === 201;
  };
  let isNew = false;
  try {
    const title = input.title.trim();
    if (!(await isKnown(api, input.courseId)))
      isNew = await put({ Title: title || input.courseId, Status: 'draft' });
    input.signal.throwIfAborted();
    const release = await uploadPackage(api, input);
    if (isNew && title === '' && release.Title !== '') await put({ Title: release.Title });
    return { release, isNew };
  } catch (error) {
    const isCourseLeft = isNew && !(await deleteCreatedCourse(api, input.courseId));
    return { error, isCourseLeft };
  }
}

async function deleteCreatedCourse({ client }: Api, courseId: string): Promise<boolean> {
  try {
    const { error } = await client.DELETE('/course/{CourseID}', { params: { path: { CourseID: courseId } } });
    return !error || toFailure(error).code === 'course_not_found';
  } catch {
    return false;
  }
}
