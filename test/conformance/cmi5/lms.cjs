// The script that CATAPULT's suite requires (its lib/lms.template.js explains each function). It runs in the suite's
// process, which is CommonJS, and passes all calls to bridge.ts.
// biome-ignore lint/style/useNodejsImportProtocol: The suite's version of Jest does not know the prefix.
const { request } = require('http');
// biome-ignore lint/style/useNodejsImportProtocol: The suite's version of Jest does not know the prefix.
const { join } = require('path');

const { InvalidPackageError } = require(join(process.cwd(), 'lib/errors.js'));
const { BRIDGE_URL, LRS_ENDPOINT, LRS_KEY, LRS_SECRET } = process.env;

/** `body` is a stream, or a value that is sent as JSON. */
function call(name, body, contentType = 'application/json') {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': contentType };
    const sent = request(`${BRIDGE_URL}/${name}`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => {
        const { value, invalid, error } = JSON.parse(text);
        if (invalid !== undefined) reject(new InvalidPackageError(invalid));
        else if (error !== undefined) reject(new Error(error));
        else resolve(value);
      });
    });
    sent.on('error', reject);
    if (typeof body?.pipe === 'function') body.pipe(sent);
    else sent.end(JSON.stringify(body));
  });
}

module.exports = {
  setup: async () => {},
  teardown: async () => {},
  cleanup: async () => {},
  getLrsEndpoint: () => LRS_ENDPOINT,
  getLrsAuthHeader: () => `Basic ${Buffer.from(`${LRS_KEY}:${LRS_SECRET}`).toString('base64')}`,
  importCourse: (stream, contentType) => call('import', stream, contentType),
  getLaunchUrl: (courseId, unit, _actor, { registration, launchMode }) =>
    call('launch', { courseId, unit, registration, launchMode }),
  hasWaive: () => true,
  waiveAU: (registration, unit, reason) => call('waive', { registration, unit, reason }),
  hasAbandon: () => true,
  abandonSession: (sessionId) => call('abandon', { sessionId }),
};
