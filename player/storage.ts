/**
 * Whether the browser denies storage because another site frames the page. Courses that use storage then fail, and
 * unsent results cannot be kept on the device.
 */
export function isStorageDenied(): boolean {
  if (window.parent === window) return false;
  try {
    window.localStorage.getItem('');
    return false;
  } catch {
    return true;
  }
}
