import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataIntegrityProof } from '@digitalbazaar/data-integrity';
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite';
import * as credentials from '@digitalbazaar/vc';
import { loaderFor, signCredential, verifyCredential } from '../../../certificates/src/proof.ts';
import { multibase } from '../../../server/src/domain/certificates/credential/did.ts';

type Document = Record<string, unknown>;

/** What the suites refer to: contexts, and keys as `did:key`. */
export async function findDocument(contexts: Record<string, object>, url: string): Promise<object | null> {
  if (contexts[url]) return contexts[url];
  const [did = '', key] = url.split('#');
  const publicKeyMultibase = did.replace('did:key:', '');
  if (!publicKeyMultibase.startsWith('z6Mk')) return null;
  const id = `${did}#${publicKeyMultibase}`;
  const method = { id, type: 'Multikey', controller: did, publicKeyMultibase };
  if (key !== undefined) return { '@context': 'https://w3id.org/security/multikey/v1', ...method };
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    verificationMethod: [method],
    ...{ assertionMethod: [id], authentication: [id] },
  };
}

/** Issues and verifies as the VC API describes it, for a new key. Presentations meet the library that the verifier uses. */
export async function openAdapter(contexts: Record<string, object>) {
  const find = (url: string) => findDocument(contexts, url);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = multibase(publicKey.export({ format: 'jwk' }));
  const did = `did:key:${key}`;

  const operations: Record<string, (body: Document) => Promise<object>> = {
    '/credentials/issue': ({ credential }) =>
      signCredential({
        credential: { id: `urn:uuid:${randomUUID()}`, ...Object(credential) },
        created: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
        keyId: `${did}#${key}`,
        sign: async (data) => new Uint8Array(sign(null, data, privateKey)),
        load: find,
      }),
    '/credentials/verify': async ({ verifiableCredential: credential }) => {
      const { isVerified, reason } = await verifyCredential({ credential: Object(credential), load: find });
      if (!isVerified) throw new Error(reason ?? '');
      return { verified: true };
    },
    '/presentations/verify': async ({ verifiablePresentation: presentation, options }) => {
      const { challenge, domain } = Object(options);
      const { verified, error } = await credentials.verify({
        ...{ presentation: Object(presentation), challenge, domain, documentLoader: loaderFor(find) },
        ...{
          suite: new DataIntegrityProof({ cryptosuite }),
          unsignedPresentation: !Object(presentation).proof,
        },
        checkStatus: async () => ({ verified: true }),
      });
      if (!verified) throw error;
      return { verified: true };
    },
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const respond = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    try {
      const body: Document = JSON.parse(Buffer.concat(chunks).toString());
      const operation = operations[request.url ?? ''];
      if (!operation) return respond(404, {});
      respond(request.url === '/credentials/issue' ? 201 : 200, await operation(body));
    } catch (error) {
      respond(400, { verified: false, errors: [String(Object(error).message ?? error)] });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    did,
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
