import Type from 'typebox';
import { PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { contentUrl } from './messages.ts';
import { ContentLink, Tool, ToolChange } from './schemas.ts';
import { checkKeys, deleteTool, listTools, putTool, readTool } from './tools.ts';

const common = {
  tag: 'Tools',
  access: 'tenant',
  scope: 'connections:write',
  params: Type.Object({ CourseID }),
} as const;

export const toolRoutes = [
  route('PUT /course/{CourseID}/tool', 'putTool', {
    ...common,
    summary: 'Make a course of a tool (LTI 1.3), or change the tool',
    description:
      "Creates a course that only your tenant sees, with one enrolment option without a time limit; its `Standard` is `lti`. Enrolling works as for all courses: the `LaunchURL` opens the player, which launches the tool, and the tool's scores become results. `Registration` has what to enter in the tool. Fields that you leave out keep their values.",
    example: ['Title', 'LoginURL', 'TargetLinkURI', 'JWKSURL', 'Custom', 'Shares', 'PassingScore'],
    body: ToolChange,
    responses: {
      201: { description: 'The course was created.', schema: Tool },
      200: { description: 'The changed tool.', schema: Tool },
    },
    problems: ['course_not_found', 'webhook_address_refused'],
    events: [],
    audits: ['course.created', 'tool.created', 'tool.changed'],
    prepare: (ctx, { body }) => checkKeys(ctx, body),
    handle: async (ctx, { params, body }) => {
      const { tool, isNew } = await putTool(ctx, { ...body, courseId: params.CourseID });
      return isNew ? created(tool, path`/course/${tool.CourseID}/tool`) : ok(tool);
    },
  }),
  route('GET /course/{CourseID}/tool', 'readTool', {
    ...common,
    summary: 'Read a tool',
    description: '`Registration` has what to enter in the tool; `LastProblem` says what it did wrong last.',
    responses: { 200: { description: 'The tool.', schema: Tool } },
    problems: ['course_not_found'],
    handle: async (ctx, { params }) => ok(await readTool(ctx, { courseId: params.CourseID })),
  }),
  route('GET /tool', 'listTools', {
    tag: 'Tools',
    access: 'tenant',
    scope: 'connections:write',
    summary: 'List the courses that are tools',
    description: 'In the order of their CourseIDs.',
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of tools.', schema: PageOf(Tool) } },
    handle: async (ctx, { query }) => ok(await listTools(ctx, query)),
  }),
  route('DELETE /course/{CourseID}/tool', 'deleteTool', {
    ...common,
    summary: 'Delete a tool',
    description:
      'Deletes the tool and its course, on which nobody was ever enrolled. Otherwise, send `"Status": "retired"`.',
    responses: { 204: { description: 'Deleted.' } },
    problems: ['course_not_found', 'course_in_use'],
    events: [],
    audits: ['tool.deleted', 'course.deleted'],
    handle: async (ctx, { params }) => {
      await deleteTool(ctx, { courseId: params.CourseID });
      return { status: 204 };
    },
  }),
  route('POST /course/{CourseID}/tool/content', 'chooseToolContent', {
    ...common,
    summary: 'Choose what a tool opens (LTI Deep Linking 2.0)',
    description:
      'Returns a URL for the browser of the administrator. What they choose in the tool becomes the `TargetLinkURI` and `Custom` of the course.',
    responses: { 200: { description: 'The URL.', schema: ContentLink } },
    problems: ['course_not_found'],
    events: [],
    handle: async (ctx, { params }) => {
      const { CourseID } = await readTool(ctx, { courseId: params.CourseID });
      return ok({ ContentURL: contentUrl(ctx, CourseID) });
    },
  }),
];
