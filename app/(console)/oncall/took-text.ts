import { clockText } from '@/components/ui/progress';

/** `1:26`; a clock of whole seconds would say 0:00 of what took less than one. */
export const tookText = (seconds: number) => (seconds < 1 ? 'under 1 s' : clockText(seconds));
