const key = 'lectern.fitted';

/** The oldest choices are forgotten. */
const maxCourses = 50;

export type FittedCourse = { isFitted(): boolean; remember(isFitted: boolean): void };

function parsed(text: string | null): string[] {
  try {
    const ids: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').slice(-maxCourses) : [];
  } catch {
    return [];
  }
}

/**
 * Remembers on this device whether the learner fits this enrolment's course to the width. Content shares the storage,
 * so it may have emptied or changed it.
 */
export function fittedCourse(
  enrollId: string,
  storage: () => Storage = () => window.localStorage,
): FittedCourse {
  const read = () => parsed(storage().getItem(key));
  return {
    isFitted() {
      try {
        return read().includes(enrollId);
      } catch {
        return false;
      }
    },
    remember(isFitted) {
      try {
        const others = read().filter((id) => id !== enrollId);
        const ids = isFitted ? [...others, enrollId].slice(-maxCourses) : others;
        if (ids.length > 0) storage().setItem(key, JSON.stringify(ids));
        else storage().removeItem(key);
      } catch {
        // The browser denies storage, so the choice lasts as long as the page.
      }
    },
  };
}

/** Previews and reviews store nothing on the device. */
export const forgottenChoice: FittedCourse = { isFitted: () => false, remember: () => {} };
