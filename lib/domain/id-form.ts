/** An id as the registry gives it: of any other text it is known without asking that nothing has it. */
export const idForm = /^\d{1,18}$/;
