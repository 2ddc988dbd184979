'use server';

import * as z from 'zod';
import { verifyAudit } from '@/lib/services/audit/verify';
import { action } from '@/lib/web/action';

const verify = action('audit.verify', z.strictObject({}), (ctx) => verifyAudit(ctx.db));

/** Recomputes every audit chain and compares it with what is stored; changes nothing. */
export async function verifyChains() {
  return verify({});
}
