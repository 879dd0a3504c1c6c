import type { Readable } from 'node:stream';
import Type from 'typebox';
import { doOnce } from '../../http/idempotency.ts';
import { PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { hasten } from '../../infra/operations/jobs.ts';
import { applyImport, listImports, readImport, readImportRows, undoImport } from './imports.ts';
import { collect } from './read-file.ts';
import { Import, ImportAnswers, ImportWithRows, importRowsQuery, newImportQuery } from './schemas.ts';
import { startImport } from './start.ts';
import type { RemoveUser } from './undo-rows.ts';
import { requestMs, workNext } from './work.ts';

const params = Type.Object({ ImportID: Type.String({ minLength: 1, maxLength: 100 }) });
const reading = { tag: 'Imports', access: 'tenant', scope: 'users:read' } as const;
const writing = { tag: 'Imports', access: 'tenant', scope: 'users:write' } as const;
const changes = {
  events: [
    ...['user.created', 'user.updated', 'user.disabled', 'user.erased'],
    ...['enrolment.created', 'enrolment.expired', 'enrolment.extended', 'enrolment.renewed'],
    'enrolment.withdrawn',
  ],
} as const;

/** `removeUser` belongs to a room that knows all data about a person. */
export const importRoutes = (removeUser: RemoveUser) => {
  /** Small files are finished before the next request. The job continues with larger ones immediately. */
  const work = async (ctx: TenantContext) => {
    if (await workNext(ctx, removeUser, requestMs)) await hasten(ctx, 'imports.work');
  };
  const background = { ...writing, ...changes, afterwards: work };
  return [
    route('POST /import', 'createImport', {
      ...writing,
      summary: 'Import a file of people or enrolments',
      description:
        'The body is a CSV file as people have it: its columns, delimiter, encoding and title rows are recognised, courses can be named by their titles, and a row that is probably a mistake is refused with its reason. The service plans the rows and, without `Plan`, applies them, with the functions of `POST /user/bulk` and `POST /enrol/bulk`. It works in the background: read the import until its Status is planned or applied. Files can be up to 8 MiB in size. Imports are deleted after 30 days. Courses require the scope `enrolments:write`.',
      query: newImportQuery,
      streams: {
        types: ['text/csv', 'text/plain', 'text/tab-separated-values', 'application/octet-stream'],
        description: 'The file.',
        bulk: true,
        examples: { 'text/csv': 'Staff no,First name,Department\ngrace,Grace,Sales\n' },
      },
      responses: { 201: { description: 'The import. A small file is already planned.', schema: Import } },
      problems: ['in_progress'],
      ...changes,
      audits: ['import.applied', 'administrator.created', 'user.access_changed'],
      handle: async (ctx, { query, request }) => {
        const file = await collect(request.body as Readable);
        const { value: importId, headers } = await doOnce(ctx, request, file, (ctx) =>
          startImport(ctx, { ...query, file }),
        );
        await work(ctx);
        const answer = created(await readImport(ctx, importId), path`/import/${importId}`);
        return { ...answer, headers: { ...answer.headers, ...headers } };
      },
    }),
    route('GET /import', 'listImports', {
      ...reading,
      summary: 'List imports',
      description: 'The newest first, without their questions.',
      query: Fields(pageQuery),
      responses: { 200: { description: 'A page of imports.', schema: PageOf(Import) } },
      handle: async (ctx, { query }) => ok(await listImports(ctx, query)),
    }),
    route('GET /import/{ImportID}', 'readImport', {
      ...reading,
      summary: 'Read an import and its rows',
      description: 'The plan of each row and, once it has been applied or undone, its result.',
      params,
      query: importRowsQuery,
      responses: { 200: { description: 'The import, with a page of its rows.', schema: ImportWithRows } },
      problems: ['import_not_found'],
      handle: async (ctx, { params, query }) =>
        ok(await readImportRows(ctx, { ...query, importId: params.ImportID })),
    }),
    route('POST /import/{ImportID}/apply', 'applyImport', {
      ...background,
      summary: 'Apply a planned import',
      description:
        'The service works on the rows in the background. An interruption, even of the whole service, repeats no row. Repeating the call is safe.',
      params,
      body: ImportAnswers,
      example: ['Similar'],
      responses: { 200: { description: 'The import.', schema: Import } },
      problems: ['import_not_found', 'import_not_ready'],
      audits: ['import.applied', 'administrator.created', 'user.access_changed'],
      handle: async (ctx, { params, body }) =>
        ok(await applyImport(ctx, { ...body, importId: params.ImportID })),
    }),
    route('POST /import/{ImportID}/undo', 'undoImport', {
      ...background,
      summary: 'Undo an import',
      description:
        'Withdraws the enrolments and erases the users that the import has created, unless they are older than an hour or somebody has changed or used them. Each row that stays says why. Updates are not undone. Repeating the call is safe.',
      params,
      responses: { 200: { description: 'The import.', schema: Import } },
      problems: ['import_not_found', 'import_not_ready'],
      audits: ['import.undone', 'user.erased', 'enrolment.withdrawn'],
      handle: async (ctx, { params }) => ok(await undoImport(ctx, { importId: params.ImportID })),
    }),
  ];
};
