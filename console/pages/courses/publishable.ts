import type { Api } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { type AuthoredCourse, hasErrors } from './values.tsx';

export type UnpublishableReason = 'course_retired' | 'no_content' | 'no_option' | 'has_errors';

/** The reason why the course cannot be published together with others, if there is one. */
function reasonOf(course: AuthoredCourse): UnpublishableReason | null {
  if (course.Status === 'retired') return 'course_retired';
  if (course.Standard === null) return 'no_content';
  if (hasErrors(course)) return 'has_errors';
  return course.EnrolOptions.some(({ Status }) => Status === 'published') ? null : 'no_option';
}

export type Publication = 'published' | 'publishable' | UnpublishableReason;

/** Whether the course can be published now, together with others. */
export function publicationOf(course: AuthoredCourse): Publication {
  return course.Status === 'published' ? 'published' : (reasonOf(course) ?? 'publishable');
}

/** Publishes the course unless there is a reason not to. */
export async function publishCourse({ client }: Api, CourseID: string): Promise<Publication> {
  const params = { path: { CourseID } };
  const publication = publicationOf(await dataOf(client.GET('/course/{CourseID}', { params })));
  if (publication === 'publishable')
    await dataOf(client.PUT('/course/{CourseID}', { params, body: { Status: 'published' } }));
  return publication;
}
