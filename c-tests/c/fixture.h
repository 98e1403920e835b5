/* A module with live objects of every type and of every kind within a type, and erased ones. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "bir.h"

/* The operands of fixture.inst, one of each kind. */
enum { PHYSICAL, SYMBOLIC, REGISTER_AP, IMMEDIATE, SYMBOLIC_IMMEDIATE, IMMEDIATE_ARRAY, REGISTER_ITSELF, OPERAND_KINDS };

/* The expressions, one of each kind, in the order of BIR_EXPR_KIND_*. */
enum { EXPR_KINDS = 11 };

typedef struct fixture {
    bir_module *module;
    bir_function_holder *functions;
    bir_function_holder *nki;
    bir_function *function;
    bir_function *second_function;
    bir_function *nki_function;
    bir_block *block;
    bir_block *second_block;
    bir_block *body;
    bir_block *queue_block;
    bir_block_holder *function_blocks;
    bir_block_holder *loop_blocks;
    bir_block_holder *queue_blocks;
    /* A NoOp and a DMA in block, in this order; then the ones with a body. */
    bir_inst *inst;
    bir_inst *second_inst;
    bir_inst *loop;
    bir_inst *dynamic_loop;
    bir_inst *dma_block;
    bir_inst *inner;
    bir_axis *axis;
    bir_axis *dynamic_axis;
    bir_operand *operand[OPERAND_KINDS];
    bir_operand *output;
    bir_block_arg *arg;
    bir_block_arg *second_arg;
    bir_set *set;
    bir_set *pointer_set;
    bir_location *location;
    bir_location *second_location;
    bir_location *pointer_location;
    bir_location *psum_location;
    bir_register *reg;
    bir_register *second_reg;
    bir_queue *queue;
    bir_queue *second_queue;
    bir_expr *expr[EXPR_KINDS];
} fixture;

/* What was erased from a module; what it was part of lives. */
typedef struct erased {
    bir_function *function;
    bir_block *block;
    bir_inst *inst;
    bir_inst *loop;
    bir_axis *axis;
    bir_block_holder *holder;
    bir_operand *operand;
    bir_block_arg *arg;
    bir_set *set;
    bir_location *location;
    bir_register *reg;
    bir_queue *queue;
} erased;

/* Ends the program if anything fails. */
fixture fixture_create(void);
erased fixture_erased(fixture *f);
void fixture_destroy(fixture *f);

#endif
