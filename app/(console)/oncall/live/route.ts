import { pageData } from '@/lib/web/page-data';
import { readOncall } from '../read';

export const GET = pageData('release.read', ({ db }) => readOncall(db));
