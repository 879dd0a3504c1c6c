import { useQueries } from '@tanstack/react-query';
import { type Api, useApi } from '../../api/api.tsx';
import { findCourse } from './import-package.ts';
import type { Course } from './values.tsx';

/** Finds an offered course, or a draft of the tenant, in the list, because the API returns a single course only for a given learner. */
export async function findOffered({ client }: Api, courseId: string): Promise<Course | null> {
  for (let Cursor: string | null = ''; Cursor !== null; ) {
    const more: { Cursor?: string } = Cursor ? { Cursor } : {};
    const query = { Limit: 200, Search: courseId, Drafts: true, ...more };
    const { data, error } = await client.GET('/catalogue/course', { params: { query } });
    if (!data) throw error;
    const found = data.Items.find(({ CourseID }) => CourseID === courseId);
    if (found) return found;
    Cursor = data.NextCursor;
  }
  return null;
}

/** The courses with these IDs. Authors also find drafts. */
export function useFoundCourses(courseIds: readonly string[], isAuthor = false) {
  const api = useApi();
  const found = useQueries({
    queries: courseIds.map((courseId) => ({
      queryKey: ['course', courseId, isAuthor],
      queryFn: async () => {
        if (!isAuthor) return findOffered(api, courseId);
        const course = await findCourse(api, courseId);
        return course && { ...course, AvailableEnrolOptions: course.EnrolOptions };
      },
    })),
  });
  return found.flatMap(({ data }) => data ?? []);
}
