import { type SQL, sql } from 'drizzle-orm';

/**
 * Leaves out drills' forks, and the releases on them: what is listed, counted or found for people is
 * production's, and so is what the background keeps in order. `name` is the SQL of a dataset's name, or of a chain's or a subject's that holds one.
 */
export const ofPeople = (name: SQL): SQL => sql`position('~' in ${name}) = 0`;
