import { launchDataId } from '../../../../standards/cmi5/vocabulary.ts';
import { invalid } from '../../../../standards/xapi/invalid.ts';
import { isObject } from '../../../../standards/xapi/values.ts';
import type { RouteResponse } from '../../http/routes.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import type { DocumentUse } from './au-session.ts';
import { type Preconditions, quoted } from './concurrency.ts';
import {
  type DocumentAddress,
  type DocumentKind,
  deleteDocument,
  deleteDocuments,
  listDocuments,
  readAddress,
  readDocument,
  writeDocument,
} from './documents.ts';
import { instantParameter, type LrsRequest, mediaTypeOf, parseDocument } from './lrs-request.ts';

/**
 * AUs have their own rules. Other callers must not write the launch data, because units trust it and only the
 * LMS may write it (cmi5 section 10).
 */
function checkOf(
  { caller, contentType, body }: LrsRequest,
  { use }: DocumentAddress,
  action: DocumentUse['action'],
) {
  const more = action === 'write' ? { document: { contentType, content: body } } : {};
  return async (ctx: TenantContext) => {
    if (caller.kind === 'au') return caller.session.checkDocument(ctx, { ...use, ...more, action });
    if (action !== 'read' && use.kind === 'state' && use.documentId === launchDataId)
      throw new Problem('cmi5_violation', `${launchDataId} cannot be changed.`);
  };
}

const countStorageOf =
  ({ caller }: LrsRequest) =>
  async (ctx: TenantContext, bytes: number) => {
    if (caller.kind === 'au') await caller.session.countStorage(ctx, bytes);
  };

const named = (address: DocumentAddress) => ({ ...address, documentId: address.documentId ?? '' });

function preconditionsOf(
  { ifMatch, ifNoneMatch }: LrsRequest,
  areRequired: Preconditions['areRequired'],
): Preconditions {
  return { ifMatch, ifNoneMatch, areRequired };
}

/** Communication 2.3.1, 2.6.1 and 2.7.1: returns a document, or the IDs of all documents in the context. */
export async function getDocument(
  ctx: TenantContext,
  kind: DocumentKind,
  request: LrsRequest,
): Promise<RouteResponse> {
  const address = readAddress(kind, request, false);
  const since = instantParameter(request.parameters, 'since');
  await checkOf(request, address, 'read')(ctx);
  if (address.documentId === null) {
    const { ids, updatedAt } = await listDocuments(ctx, address, since);
    const modified = updatedAt === null ? {} : { 'Last-Modified': updatedAt.toUTCString() };
    return {
      status: 200,
      body: JSON.stringify(ids),
      headers: { 'Content-Type': 'application/json', ...modified },
    };
  }
  const found = await readDocument(ctx, named(address));
  if (!found)
    throw new Problem('document_not_found', `There is no document ${address.documentId} here. Check its ID.`);
  const { content, content_type, etag, updated_at } = found;
  const headers = {
    'Content-Type': content_type,
    ETag: quoted(etag),
    'Last-Modified': updated_at.toUTCString(),
    // A document can be HTML. Browsers must not display it on the API's origin.
    'Content-Disposition': 'attachment',
  };
  return { status: 200, body: content, headers };
}

/**
 * Communication 3.1 (1.0.3): profiles need a precondition. IEEE 9274.1.1, 4.1.4 (2.0): all
 * documents need one, but only if they exist.
 */
export async function putDocument(
  ctx: TenantContext,
  kind: DocumentKind,
  request: LrsRequest,
): Promise<RouteResponse> {
  const address = readAddress(kind, request, true);
  const areRequired = request.edition === '2.0.0' ? 'to_replace' : kind === 'state' ? 'never' : 'always';
  await writeDocument(ctx, named(address), {
    ...contentOf(request),
    merges: false,
    preconditions: preconditionsOf(request, areRequired),
    check: checkOf(request, address, 'write'),
    countStorage: countStorageOf(request),
  });
  return { status: 204 };
}

/** Communication 2.2: merges a JSON object into the stored document, or stores it as a new document. */
export async function postDocument(
  ctx: TenantContext,
  kind: DocumentKind,
  request: LrsRequest,
): Promise<RouteResponse> {
  const address = readAddress(kind, request, true);
  const content = contentOf(request);
  if (mediaTypeOf(content.contentType) === 'application/json' && !isObject(parseDocument(content.content)))
    invalid('The body', 'must be a JSON object.');
  await writeDocument(ctx, named(address), {
    ...content,
    merges: true,
    preconditions: preconditionsOf(request, 'never'),
    check: checkOf(request, address, 'write'),
    countStorage: countStorageOf(request),
  });
  return { status: 204 };
}

/** A PUT keeps the bytes, whatever they are: some courses send plain text as application/json. */
function contentOf({ body, contentType }: LrsRequest) {
  return { content: body, contentType: contentType || 'application/octet-stream' };
}

/** Communication 2.3.2, 2.6.2 and 2.7.2: deletes a document, or all states of the context. */
export async function removeDocument(
  ctx: TenantContext,
  kind: DocumentKind,
  request: LrsRequest,
): Promise<RouteResponse> {
  const address = readAddress(kind, request, kind !== 'state');
  const check = checkOf(request, address, 'delete');
  if (address.documentId === null) {
    await check(ctx);
    await deleteDocuments(ctx, address);
  } else
    await deleteDocument(ctx, named(address), {
      preconditions: preconditionsOf(request, 'never'),
      check,
      countStorage: countStorageOf(request),
    });
  return { status: 204 };
}
