import Type from 'typebox';
import { created, route } from '../../platform/routes.ts';
import { Fields } from '../../platform/schema.ts';
import { CourseID, ReleaseNumber } from '../catalogue/schemas.ts';
import { createPreview, Preview } from './preview.ts';

const params = Type.Object({ CourseID });
const answers = { 201: { description: 'The preview. Nothing of it is stored.', schema: Preview } };

export const previewRoutes = [
  route({
    method: 'POST',
    path: '/course/{CourseID}/preview',
    name: 'previewCourse',
    summary: 'Play any release of a course, also of a draft, without recording anything',
    description:
      'For authors. The link can be opened for 15 minutes, and nothing that happens there is recorded.',
    tag: 'Authoring',
    access: 'operator',
    scope: 'catalogue:read',
    params,
    body: Fields({ Release: Type.Optional(ReleaseNumber) }),
    answers,
    problems: ['course_not_found', 'release_not_found', 'course_not_playable'],
    events: [],
    handle: async (ctx, { params, body }) => {
      const input = { courseId: params.CourseID, release: body.Release ?? null, tenantId: null };
      const preview = await createPreview(ctx, input);
      return created(preview, preview.PreviewURL);
    },
  }),
  route({
    method: 'POST',
    path: '/catalogue/course/{CourseID}/preview',
    name: 'previewOfferedCourse',
    summary: 'Play a course that is offered to the tenant, without recording anything',
    description: 'Like previewCourse, with the current release of a published course.',
    tag: 'Catalogue',
    access: 'tenant',
    scope: 'catalogue:read',
    params,
    answers,
    problems: ['course_not_found', 'course_not_playable'],
    events: [],
    handle: async (ctx, { params }) => {
      const input = { courseId: params.CourseID, release: null, tenantId: ctx.tenantId };
      const preview = await createPreview(ctx, input);
      return created(preview, preview.PreviewURL);
    },
  }),
];
