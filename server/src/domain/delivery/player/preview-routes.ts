import Type from 'typebox';
import { created, route } from '../../../http/routes.ts';
import { Fields } from '../../../http/validation/schema.ts';
import { CourseID, ReleaseNumber } from '../../catalogue/schemas.ts';
import { createPreview, Preview } from './preview.ts';

const params = Type.Object({ CourseID });
const responses = { 201: { description: 'The preview, in which nothing is recorded.', schema: Preview } };

export const previewRoutes = [
  route('POST /course/{CourseID}/preview', 'previewCourse', {
    summary: 'Preview any release of a course',
    description:
      'For authors. Drafts can be previewed too. The link can be opened for 15 minutes, and nothing is recorded.',
    tag: 'Authoring',
    access: 'operator',
    scope: 'catalogue:read',
    params,
    body: Fields({ Release: Type.Optional(ReleaseNumber) }, { title: 'PreviewRequest' }),
    responses,
    problems: ['course_not_found', 'release_not_found', 'course_not_playable'],
    events: [],
    handle: async (ctx, { params, body }) => {
      const input = { courseId: params.CourseID, release: body.Release ?? null, tenantId: null };
      const preview = await createPreview(ctx, input);
      return created(preview, preview.PreviewURL);
    },
  }),
  route('POST /catalogue/course/{CourseID}/preview', 'previewOfferedCourse', {
    summary: 'Preview a course offered to the tenant',
    description: 'Like `previewCourse`, but for the current release of a published course.',
    tag: 'Catalogue',
    access: 'tenant',
    scope: 'catalogue:read',
    params,
    responses,
    problems: ['course_not_found', 'course_not_playable'],
    events: [],
    handle: async (ctx, { params }) => {
      const input = { courseId: params.CourseID, release: null, tenantId: ctx.tenantId };
      const preview = await createPreview(ctx, input);
      return created(preview, preview.PreviewURL);
    },
  }),
];
