import type { Api } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';
import type { NewCourse } from './new-course.ts';
import { type Release, type Upload, uploadPackage } from './upload.ts';
import type { AuthoredCourse } from './values.tsx';

/** Null if there is no course with this CourseID. */
export async function findCourse({ client }: Api, courseId: string): Promise<AuthoredCourse | null> {
  const params = { path: { CourseID: courseId } };
  const { data, error } = await client.GET('/course/{CourseID}', { params });
  if (error && toFailure(error).code !== 'course_not_found') throw error;
  return data ?? null;
}

/** Whether learners can have started the course, so that a new release is previewed first. */
export const isInUse = ({ Status, Release }: Pick<AuthoredCourse, 'Status' | 'Release'>): boolean =>
  Status !== 'draft' && Release !== null;

/** If `title` is empty, the package's own title is used. `newCourse` applies if the course does not exist yet. */
export type Importing = Upload & { title: string; newCourse: NewCourse };

/** `optionError` is the reason why a new course has no enrolment option. */
export type Imported = { release: Release; isNew: boolean; optionError: unknown };

/** `isCourseLeft` is true if the course was created and could not be deleted again. */
type Failed = { error: unknown; isCourseLeft: boolean };

/**
 * Imports a package. A missing course is created as a draft with an enrolment option. A failed import leaves no
 * empty course behind.
 */
export async function importPackage(api: Api, input: Importing): Promise<Imported | Failed> {
  const { client } = api;
  const { courseId, newCourse, signal } = input;
  const params = { path: { CourseID: courseId } };
  const put = async (body: { Title: string; Status?: 'draft'; Tenants?: string[] | null }) => {
    const { error, response } = await client.PUT('/course/{CourseID}', { params, body });
    if (error) throw error;
    return response.status === 201;
  };
  let isNew = false;
  try {
    const title = input.title.trim();
    const known = await findCourse(api, courseId);
    const { Tenants } = newCourse;
    if (!known) isNew = await put({ Title: title || courseId, Status: 'draft', Tenants });
    signal.throwIfAborted();
    const release = await uploadPackage(api, input, known !== null && isInUse(known));
    if (isNew && title === '' && release.Title !== '') await put({ Title: release.Title });
    return { release, isNew, optionError: isNew ? await addOption(api, courseId, newCourse) : null };
  } catch (error) {
    const isCourseLeft = isNew && !(await deleteCreatedCourse(api, courseId));
    return { error, isCourseLeft };
  }
}

/** Returns the error, if there is one: the course is then kept without an option. */
async function addOption({ client }: Api, CourseID: string, { option }: NewCourse): Promise<unknown> {
  const { DurationID, ...body } = option;
  const params = { path: { CourseID, DurationID } };
  const { error } = await client.PUT('/course/{CourseID}/option/{DurationID}', { params, body });
  return error ?? null;
}

async function deleteCreatedCourse({ client }: Api, courseId: string): Promise<boolean> {
  try {
    const { error } = await client.DELETE('/course/{CourseID}', { params: { path: { CourseID: courseId } } });
    return !error || toFailure(error).code === 'course_not_found';
  } catch {
    return false;
  }
}
