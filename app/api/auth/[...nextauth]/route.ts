import { authHandlers } from '@/lib/web/auth-handlers';

export const dynamic = 'force-dynamic';

export const { GET, POST } = authHandlers;
