import type { Page } from 'playwright-core';

/**
 * The part of Rustici's TinCanJS that the xAPI packages use. They load it from their folder, but do not contain it.
 * It sends its requests to the endpoint in the launch URL, synchronously unless there is a callback.
 */
const library = `window.TinCan = class TinCan {
  static Activity = class { constructor(activity) { Object.assign(this, activity); } };
  static Utils = { convertMillisecondsToISO8601Duration: (milliseconds) => 'PT' + Math.round(milliseconds / 1000) + 'S' };
  constructor({ url, activity }) {
    this.launch = Object.fromEntries(new URL(url).searchParams);
    this.activity = activity;
  }
  call(method, resource, query, body, callback) {
    const request = new XMLHttpRequest();
    request.open(method, this.launch.endpoint + resource + '?' + new URLSearchParams(query), callback !== undefined);
    request.setRequestHeader('Authorization', this.launch.auth);
    request.setRequestHeader('X-Experience-API-Version', '1.0.3');
    if (body !== undefined) request.setRequestHeader('Content-Type', 'application/json');
    request.onload = () => callback && callback(request.status < 400 ? null : request.status);
    request.send(body === undefined ? null : JSON.stringify(body));
    return request;
  }
  sendStatement(statement, callback) { return this.sendStatements([statement], callback); }
  sendStatements(statements, callback) {
    const { actor, registration } = this.launch;
    const sent = statements.map((one) => ({
      actor: JSON.parse(actor), object: this.activity, ...one, context: { ...one.context, registration },
    }));
    return this.call('POST', 'statements', {}, sent, callback);
  }
  getStatements({ params }) {
    const { actor, registration } = this.launch;
    const query = { agent: actor, registration, verb: params.verb.id, activity: params.activity.id };
    const { status, responseText } = this.call('GET', 'statements', query);
    return status === 200 ? { err: null, statementsResult: JSON.parse(responseText) } : { err: status };
  }
  address(stateId) {
    const { actor: agent, registration, activity_id: activityId } = this.launch;
    return { agent, registration, activityId, stateId };
  }
  setState(id, value, { callback } = {}) { return this.call('PUT', 'activities/state', this.address(id), value, callback); }
  getState(id) {
    const { status, responseText } = this.call('GET', 'activities/state', this.address(id));
    if (status === 404) return { err: null, state: null };
    return status === 200 ? { err: null, state: { contents: JSON.parse(responseText) } } : { err: status, state: null };
  }
};`;

/** The part of Google Maps that a package uses. It shows no map. */
const maps = `const nothing = class { setIcon() {} setPosition() {} panTo() {} open() {} };
window.google = { maps: {
  ...{ Map: nothing, Marker: nothing, InfoWindow: nothing, Size: nothing, MapTypeId: {} },
  event: { addListener() {} },
  LatLng: class { constructor(lat, lng) { this.lat = () => Number(lat); this.lng = () => Number(lng); } },
} };`;

/** Serves the libraries that the xAPI packages load but do not contain. */
export async function serveLibraries(page: Page): Promise<void> {
  const script = (body: string) => ({ contentType: 'text/javascript', body });
  await page.route(/\/tincan-min\.js/, (route) => route.fulfill(script(library)));
  await page.route(/maps\.googleapis\.com/, (route) => route.fulfill(script(maps)));
  await page.route(/google-analytics\.com|gstatic\.com/, (route) => route.abort());
}
