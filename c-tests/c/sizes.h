/* The structs that callers make themselves: their sizes and last members are part of the binary interface. A negative array
 * size is an error in every standard of C and C++. */
#define SIZE_CHECK(type, size, last, offset) \
    typedef char type##_size[sizeof(struct type) == (size) ? 1 : -1]; \
    typedef char type##_last[offsetof(struct type, last) == (offset) ? 1 : -1]

SIZE_CHECK(bir_string, 16, len, 8);
SIZE_CHECK(bir_error, 1048, path, 536);
SIZE_CHECK(bir_dim, 16, num, 8);
SIZE_CHECK(bir_term, 16, coeff, 8);
SIZE_CHECK(bir_predicate, 16, op, 8);
SIZE_CHECK(bir_dynamic_ap, 16, indirect_dim_max_index, 12);
SIZE_CHECK(bir_edge, 16, kind, 8);
SIZE_CHECK(bir_wait, 24, from, 16);
SIZE_CHECK(bir_update, 24, target_core, 20);
SIZE_CHECK(bir_incoming, 16, predecessor, 8);
SIZE_CHECK(bir_alias, 16, bits, 8);
SIZE_CHECK(bir_bytes, 16, len, 8);
SIZE_CHECK(bir_read_options, 72, progress_user, 64);
SIZE_CHECK(bir_warning, 56, message, 40);
SIZE_CHECK(bir_write_options, 12, format, 8);
SIZE_CHECK(bir_print_options, 8, no_ids, 5);
SIZE_CHECK(bir_graph_options, 48, block, 32);
SIZE_CHECK(bir_const_file, 48, key, 32);
SIZE_CHECK(bir_file, 32, size, 24);
SIZE_CHECK(bir_pack_options, 136, member_count, 128);
SIZE_CHECK(bir_packed_constant, 64, merged, 56);
SIZE_CHECK(bir_open_options, 16, max_unpacked_bytes, 8);
SIZE_CHECK(bir_package_header, 568, build_version, 436);
SIZE_CHECK(bir_member, 56, mtime, 48);
SIZE_CHECK(bir_finding, 56, message, 40);
SIZE_CHECK(bir_difference_text, 64, right, 48);
SIZE_CHECK(bir_diff_options, 8, max_changes, 4);
SIZE_CHECK(bir_change_subject, 64, present, 60);
SIZE_CHECK(bir_change, 184, kind, 180);
SIZE_CHECK(bir_maybe_affine, 16, constant, 8);
SIZE_CHECK(bir_opcode_info, 104, max_arch, 100);
SIZE_CHECK(bir_field_info, 104, default_float, 96);
SIZE_CHECK(bir_cse_subject, 40, id, 32);
SIZE_CHECK(bir_cse_merge, 80, removed, 40);
SIZE_CHECK(bir_cse_kept, 104, reason, 96);
