import type { Readable } from 'node:stream';
import Type from 'typebox';
import { CountedPageOf, PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { ContentItem, listContent } from './content-list.ts';
import { deleteCourse, listAuthoredCourses, putCourse, readAuthoredCourse } from './courses.ts';
import { importPackage } from './import-package.ts';
import { listOfferedCourses } from './offers.ts';
import { deleteOption, putOption } from './options.ts';
import { createPackageImport, readPackageImport } from './package-imports.ts';
import { mediaTypes } from './packages/media-file.ts';
import { downloadPackage, listReleaseFiles, putFile } from './release-files.ts';
import { listReleases, readCurrentRelease, readRelease } from './releases.ts';
import {
  AuthoredCourse,
  Course,
  CourseChange,
  CourseID,
  courseQuery,
  DurationID,
  EnrolOption,
  EnrolOptionChange,
  ImportID,
  offerQuery,
  PackageImport,
  PackageImportRequest,
  Release,
  ReleaseFile,
  ReleaseNumber,
} from './schemas.ts';

const params = Type.Object({ CourseID });
const filePath = Type.String({ description: 'Path of the file within the package; may contain slashes.' });
const current = {
  Current: Type.Optional(
    Type.Boolean({
      description:
        'If false, the release does not become current yet, and tenants are not notified of it. Preview it with `POST /course/{CourseID}/preview`, then set it as current with `PUT /course/{CourseID}/release/{Release}`. The default is true.',
    }),
  ),
};
const packageProblems = [
  'course_not_found',
  'package_not_zip',
  'package_unsafe',
  'package_too_large',
  'package_unreadable',
  'package_invalid',
  'package_unsupported',
] as const;
const releaseParams = Type.Object({ CourseID, Release: ReleaseNumber });
const optionParams = Type.Object({ CourseID, DurationID });
const authoring = { tag: 'Authoring', access: 'operator' } as const;

export const catalogueRoutes = [
  route('GET /catalogue/course', 'listOfferedCourses', {
    summary: 'List the courses offered to the tenant',
    description:
      'Includes published and retired courses, but drafts only if you ask for those of the tenant.',
    tag: 'Catalogue',
    access: 'tenant',
    scope: 'catalogue:read',
    query: offerQuery,
    responses: {
      200: { description: 'A page of courses, ordered by CourseID.', schema: CountedPageOf(Course) },
    },
    handle: async (ctx, { query }) => ok(await listOfferedCourses(ctx, query)),
  }),
  route('GET /catalogue/content', 'listContent', {
    summary: 'List the offered courses for a learning suite',
    description:
      "The offered courses with the fields of Cornerstone's course list. Send `Accept: text/csv` for a file.",
    tag: 'Catalogue',
    access: 'tenant',
    scope: 'catalogue:read',
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of courses, ordered by ID.', schema: PageOf(ContentItem) } },
    handle: async (ctx, { query }) => ok(await listContent(ctx, query)),
  }),
  route('GET /course', 'listCourses', {
    ...authoring,
    summary: 'List all courses',
    description: 'Includes drafts and retired courses.',
    scope: 'catalogue:read',
    query: courseQuery,
    responses: {
      200: { description: 'A page of courses, ordered by CourseID.', schema: CountedPageOf(AuthoredCourse) },
    },
    handle: async (ctx, { query }) => ok(await listAuthoredCourses(ctx, query)),
  }),
  route('PUT /course/{CourseID}', 'putCourse', {
    ...authoring,
    summary: 'Create or change a course',
    description: '`Title` is required for a new course. Fields that you leave out keep their values.',
    example: ['Title', 'Description', 'Language'],
    scope: 'catalogue:write',
    params,
    body: CourseChange,
    responses: {
      201: { description: 'Created.', schema: AuthoredCourse },
      200: { description: 'Changed.', schema: AuthoredCourse },
    },
    problems: ['sign_in_unavailable'],
    events: ['course.released'],
    audits: ['course.created', 'course.changed'],
    handle: async (ctx, { params, body }) => {
      const { course, isNew } = await putCourse(ctx, { ...body, courseId: params.CourseID });
      return isNew ? created(course, path`/course/${course.CourseID}`) : ok(course);
    },
  }),
  route('GET /course/{CourseID}', 'readCourse', {
    ...authoring,
    summary: 'Read a course with all its settings',
    description: 'Includes options that are not published.',
    scope: 'catalogue:read',
    params,
    responses: { 200: { description: 'The course with all its options.', schema: AuthoredCourse } },
    problems: ['course_not_found'],
    handle: async (ctx, { params }) => ok(await readAuthoredCourse(ctx, { courseId: params.CourseID })),
  }),
  route('DELETE /course/{CourseID}', 'deleteCourse', {
    ...authoring,
    summary: 'Delete a course',
    description:
      'A course can be deleted only if nobody has ever been enrolled on it. Otherwise retire it with `"Status": "retired"`.',
    scope: 'catalogue:write',
    params,
    responses: { 204: { description: 'Deleted with its options, releases and files.' } },
    problems: ['course_not_found', 'course_in_use'],
    events: [],
    audits: ['course.deleted'],
    handle: async (ctx, { params }) => {
      await deleteCourse(ctx, { courseId: params.CourseID });
      return { status: 204 };
    },
  }),
  route('PUT /course/{CourseID}/option/{DurationID}', 'putOption', {
    ...authoring,
    summary: 'Create or change an enrolment option',
    description: 'All fields are optional. Fields that you leave out keep their values.',
    example: ['Name', 'Duration'],
    scope: 'catalogue:write',
    params: optionParams,
    body: EnrolOptionChange,
    responses: {
      201: { description: 'Created.', schema: EnrolOption },
      200: { description: 'Changed.', schema: EnrolOption },
    },
    problems: ['course_not_found'],
    events: [],
    audits: ['option.created', 'option.changed'],
    handle: async (ctx, { params, body }) => {
      const key = { courseId: params.CourseID, durationId: params.DurationID };
      const { option, isNew } = await putOption(ctx, { ...body, ...key });
      return isNew ? created(option, path`/course/${key.courseId}`) : ok(option);
    },
  }),
  route('DELETE /course/{CourseID}/option/{DurationID}', 'deleteOption', {
    ...authoring,
    summary: 'Delete an enrolment option',
    description:
      'An option can be deleted only if nobody has ever been enrolled with it. Otherwise retire it.',
    scope: 'catalogue:write',
    params: optionParams,
    responses: { 204: { description: 'Deleted.' } },
    problems: ['option_not_found', 'option_in_use'],
    events: [],
    audits: ['option.deleted'],
    handle: async (ctx, { params }) => {
      await deleteOption(ctx, { courseId: params.CourseID, durationId: params.DurationID });
      return { status: 204 };
    },
  }),
  route('PUT /course/{CourseID}/package', 'importPackage', {
    ...authoring,
    summary: 'Import a package as a new release of a course',
    description:
      'The archive is checked and unpacked before the response is sent. SCORM 1.2, SCORM 2004, cmi5, xAPI (`tincan.xml`), AICC and plain web content are supported. A cmi5 course whose pages are all hosted elsewhere may be sent as its bare `cmi5.xml`. A PDF (`application/pdf`), a video (`video/mp4`), an audio file (`audio/mpeg`) or an HTML page (`text/html`) is a course of its own, which is completed as `CompleteWhen` of the course says. Learners who have already started stay on their release.',
    scope: 'catalogue:write',
    params,
    query: Fields(current),
    streams: {
      types: [
        ...['application/zip', 'application/x-zip-compressed', 'application/octet-stream'],
        ...['application/xml', 'text/xml'],
        ...Object.keys(mediaTypes),
      ],
      description: 'The package as a zip archive, a cmi5 course structure, or a single file.',
    },
    responses: {
      201: { description: 'The first release.', schema: Release },
      200: {
        description: 'A further release. Learners who have already started stay on theirs.',
        schema: Release,
      },
    },
    problems: packageProblems,
    events: ['package.imported', 'course.released'],
    audits: ['release.imported'],
    handle: async (ctx, { params, query, request }) => {
      const zip = request.body as Readable;
      const kind = mediaTypes[request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''];
      const input = {
        courseId: params.CourseID,
        zip,
        isCurrent: query.Current ?? true,
        ...(kind && { kind }),
      };
      const { release, isNew } = await importPackage(ctx, input);
      return isNew ? created(release, path`/course/${release.CourseID}/package`) : ok(release);
    },
  }),
  route('GET /course/{CourseID}/package', 'readCurrentRelease', {
    ...authoring,
    summary: 'Read the current release of a course',
    description: 'The release that new learners play, with its units and warnings.',
    scope: 'catalogue:read',
    params,
    responses: { 200: { description: 'The release.', schema: Release } },
    problems: ['course_not_playable'],
    handle: async (ctx, { params }) => ok(await readCurrentRelease(ctx, { courseId: params.CourseID })),
  }),
  route('GET /course/{CourseID}/release', 'listReleases', {
    ...authoring,
    summary: 'List the releases of a course',
    description: 'Each imported package is a release.',
    scope: 'catalogue:read',
    params,
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of releases, newest first.', schema: PageOf(Release) } },
    problems: ['course_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listReleases(ctx, { ...query, courseId: params.CourseID })),
  }),
  route('GET /course/{CourseID}/release/{Release}', 'readRelease', {
    ...authoring,
    summary: 'Read a release of a course',
    description: "Includes the package's units and the warnings from its import.",
    scope: 'catalogue:read',
    params: releaseParams,
    responses: { 200: { description: 'The release.', schema: Release } },
    problems: ['course_not_found', 'release_not_found'],
    handle: async (ctx, { params }) =>
      ok(await readRelease(ctx, { courseId: params.CourseID, release: params.Release })),
  }),
  route('GET /course/{CourseID}/release/{Release}/package', 'downloadPackage', {
    ...authoring,
    summary: 'Download the package of a release',
    description:
      'Returns the uploaded file of a course with a single file, and otherwise a zip with the files of the package. Importing it again gives an equal release.',
    scope: 'catalogue:read',
    params: releaseParams,
    streamsResponse: true,
    responses: {
      200: {
        description: 'The package.',
        type: ['application/zip', ...Object.keys(mediaTypes)],
      },
    },
    problems: ['course_not_found', 'release_not_found'],
    handle: async (ctx, { params }) => {
      const input = { courseId: params.CourseID, release: params.Release };
      const { type, name, content } = await downloadPackage(ctx, input);
      return {
        status: 200,
        body: content,
        headers: {
          'Content-Type': type,
          'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        },
      };
    },
  }),
  route('GET /course/{CourseID}/release/{Release}/file', 'listReleaseFiles', {
    ...authoring,
    summary: 'List the files of a release',
    description: 'With their paths in the package. Replace one with `PUT /course/{CourseID}/file/{path}`.',
    scope: 'catalogue:read',
    params: releaseParams,
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of files, ordered by path.', schema: PageOf(ReleaseFile) } },
    problems: ['course_not_found', 'release_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listReleaseFiles(ctx, { ...query, courseId: params.CourseID, release: params.Release })),
  }),
  route('PUT /course/{CourseID}/file/*', 'putFile', {
    ...authoring,
    summary: 'Replace or add a file of a course',
    description:
      'Creates a release with the files of the current release and this one. It is checked like an import, and is rejected if learners could no longer open a unit. Add captions to a video as `captions.en.vtt`.',
    scope: 'catalogue:write',
    params: Type.Object({ CourseID, '*': filePath }),
    query: Fields(current),
    streams: {
      types: ['application/octet-stream'],
      description: 'The content of the file.',
      examples: { 'application/octet-stream': '<!doctype html><title>First aid</title>' },
    },
    responses: {
      200: {
        description: 'The new release. Learners who have already started stay on theirs.',
        schema: Release,
      },
    },
    problems: ['release_not_found', 'touched', ...packageProblems],
    events: ['package.imported', 'course.released'],
    audits: ['release.imported'],
    handle: async (ctx, { params, query, request }) => {
      const content = request.body as Readable;
      const input = { courseId: params.CourseID, path: params['*'], isCurrent: query.Current ?? true };
      return ok((await putFile(ctx, { ...input, content })).release);
    },
  }),
  route('POST /course/{CourseID}/import', 'importFromURL', {
    ...authoring,
    summary: 'Import a package or a file from a URL',
    description:
      'A job downloads the file within ten minutes and imports it like an upload. Poll the import until its Status is `done` or `failed`. The URL is checked like that of a webhook.',
    scope: 'catalogue:write',
    params,
    body: PackageImportRequest,
    responses: { 202: { description: 'The import, which is queued.', schema: PackageImport } },
    problems: ['course_not_found', 'webhook_address_refused'],
    events: [],
    audits: [],
    handle: async (ctx, { params, body }) => {
      const input = { courseId: params.CourseID, url: body.URL, isCurrent: body.Current ?? true };
      const made = await createPackageImport(ctx, input);
      return {
        status: 202,
        body: made,
        headers: { Location: path`/course/${made.CourseID}/import/${made.ImportID}` },
      };
    },
  }),
  route('GET /course/{CourseID}/import/{ImportID}', 'readPackageImport', {
    ...authoring,
    summary: 'Read an import from a URL',
    description: 'Its status, and the release or the reason why it failed.',
    scope: 'catalogue:read',
    params: Type.Object({ CourseID, ImportID }),
    responses: { 200: { description: 'The import.', schema: PackageImport } },
    problems: ['not_found'],
    handle: async (ctx, { params }) =>
      ok(await readPackageImport(ctx, { courseId: params.CourseID, importId: params.ImportID })),
  }),
];
