import Type from 'typebox';
import { created, ok, path, route } from '../../http/routes.ts';
import { deleteOwnCourse, putPath, readPath } from '../catalogue/paths.ts';
import { CourseID, Path, PathChange } from '../catalogue/schemas.ts';

const common = {
  tag: 'Catalogue',
  params: Type.Object({ CourseID }),
} as const;

export const pathRoutes = [
  route('PUT /course/{CourseID}/path', 'putPath', {
    ...common,
    summary: 'Make a course a path, or change the path',
    description:
      "A path is a course made of other courses. The operator makes a path of a course without content, or creates one. A tenant's key creates paths that only its tenant sees, with one enrolment option without a time limit, and changes these. A change applies to everybody on the path who has not completed it.",
    access: 'either',
    scope: 'requirements:write',
    body: PathChange,
    responses: {
      201: { description: 'The course was created as a path.', schema: Path },
      200: { description: 'The course is a path with these steps.', schema: Path },
    },
    problems: ['course_not_found', 'scope_missing'],
    events: [],
    audits: ['course.created', 'course.changed'],
    handle: async (ctx, { params, body }) => {
      const made = await putPath(ctx, { ...body, courseId: params.CourseID });
      return made.isNew ? created(made.path, path`/course/${made.path.CourseID}/path`) : ok(made.path);
    },
  }),
  route('GET /course/{CourseID}/path', 'readPath', {
    ...common,
    summary: 'Read the steps of a path',
    description: 'Tenants read the paths that are offered to them.',
    access: 'either',
    scope: 'catalogue:read',
    responses: { 200: { description: 'The path.', schema: Path } },
    problems: ['course_not_found'],
    handle: async (ctx, { params }) => ok(await readPath(ctx, { courseId: params.CourseID })),
  }),
  route('DELETE /course/{CourseID}/path', 'deletePath', {
    ...common,
    summary: 'Delete a path of the tenant',
    description:
      'Deletes a path that the tenant created and on which nobody was ever enrolled. Otherwise, send `"Status": "retired"`. The operator uses `DELETE /course/{CourseID}`.',
    access: 'tenant',
    scope: 'requirements:write',
    responses: { 204: { description: 'Deleted.' } },
    problems: ['course_not_found', 'course_in_use'],
    events: [],
    audits: ['course.deleted'],
    handle: async (ctx, { params }) => {
      await deleteOwnCourse(ctx, { courseId: params.CourseID });
      return { status: 204 };
    },
  }),
];
