"""Which test covers which public header.

A header `reel/LIB/.../STEM.hpp` is covered by `test/LIB/STEM.cpp`, which includes it before anything else. Where one test
covers several headers, a row below names it; the test mentions something that the header declares. Headers in `detail`
are no interface and need no row, nor do umbrellas: test/headers compiles each alone.
"""
import fnmatch
import re

# headers (a pattern, without `reel/` and `.hpp`) -> the test that covers them
COVERED_BY = [
    # what every test is made of: the spellings of libtorch go through it name by name
    ("autograd/array_ref", "surface/conventions"), ("autograd/enum", "surface/conventions"),
    ("autograd/expanding_array", "surface/conventions"), ("autograd/fwd", "surface/conventions"),
    ("autograd/scalar", "surface/conventions"), ("autograd/error", "surface/conventions"),
    ("autograd/device", "surface/core_types"), ("autograd/dtype", "surface/core_types"),
    ("autograd/tensor_options", "surface/core_types"), ("autograd/tensor", "surface/tensors"),
    ("autograd/tensor_accessor", "surface/tensors"), ("autograd/index", "autograd/indexing"),
    ("autograd/range_factories", "surface/factories"), ("autograd/tensor_factory", "surface/factories"),
    ("autograd/like_factories", "autograd/factories"), ("autograd/tensor_operators", "autograd/operators"),
    ("autograd/type_promotion", "autograd/operators"), ("autograd/value", "autograd/value_handles"),
    ("autograd/list", "autograd/value_handles"), ("autograd/intrusive_ptr", "autograd/gradient_validation"),
    ("autograd/tensor_impl", "autograd/inplace_views"), ("autograd/storage", "autograd/version_counters"),
    ("autograd/utils", "autograd/flatten_dense"),
    ("autograd/generator_impl", "autograd/philox_generator"),
    ("autograd/exact_argument", "autograd/exact_arguments"),
    # the process
    ("autograd/context", "autograd/process_switches"), ("autograd/cuda", "autograd/process_switches"),
    ("autograd/printing", "autograd/process_switches"),
    ("autograd/generator", "autograd/random"),
    ("autograd/private_generator", "autograd/generator_scope"),
    # the tape
    ("autograd/grad_mode", "autograd/grad_modes"), ("autograd/node", "autograd/node_hooks"),
    ("autograd/saved_variable", "autograd/graph_lifetime"), ("autograd/forward_ad", "autograd/function_options"),
    ("autograd/pin", "autograd/observe"), ("autograd/self_reporting_hook", "autograd/multi_grad_hooks"),
    ("autograd/registered", "nn/members_and_tables"),
    # kernels and devices
    ("autograd/host_data", "autograd/kernel"), ("autograd/kernels/*", "properties/toy_device"),
    ("autograd/device_hooks", "properties/toy_device"), ("autograd/pointwise/run_rule", "autograd/pointwise_apply"),
    ("autograd/pointwise/loop", "autograd/pointwise_apply"), ("autograd/pointwise/vectorize", "autograd/pointwise_apply"),
    ("autograd/pointwise/logical", "autograd/rule_loops"), ("autograd/pointwise/*", "autograd/pointwise"),
    ("autograd/fft_kernels", "autograd/fft_accuracy"), ("autograd/attention_mask", "autograd/attention"),
    ("autograd/thread_limit", "autograd/engine_threads"), ("autograd/spin_lock", "nn/threads"),
    # modules
    ("nn/backends", "nn/sharing"), ("nn/replicate", "nn/sharing"), ("nn/call", "nn/forward_arguments"),
    ("nn/cloneable", "nn/clone"), ("nn/describe", "nn/fields"), ("nn/factory", "nn/option_visitor"),
    ("nn/functional/*", "nn/functional"), ("nn/fwd", "nn/any_module"), ("nn/hook_list", "nn/forward_hooks"),
    ("nn/hooks", "nn/global_hooks"), ("nn/hook_types", "nn/fields"), ("nn/instances", "nn/members_and_tables"), ("nn/module", "nn/traversal"),
    ("nn/module_holder", "nn/backward_hooks"), ("nn/number", "nn/option_visitor"), ("nn/options", "nn/option_visitor"),
    ("nn/pack", "nn/fields"), ("nn/parameter", "nn/attributes"), ("nn/registered_module", "nn/members_and_tables"),
    ("nn/type_name", "nn/printing"), ("nn/modules/distance", "nn/printing"), ("nn/modules/linear", "nn/option_visitor"),
    ("nn/modules/padding", "nn/printing"), ("nn/modules/parameter_list", "nn/containers"),
    ("nn/modules/transformer_layer", "nn/transformer"), ("nn/modules/vision", "nn/option_visitor"),
    ("nn/norms/layer_norm", "nn/norms_layer_norm"), ("nn/norms/rinorm", "nn/norms_rinorm"),
    ("nn/norms/rms_norm", "nn/norms_rms_norm"), ("nn/utils/convert_parameters", "nn/clip_grad"),
    # one test goes over all optimizers, one over all schedules
    ("optim/schedulers/*", "optim/lr_scheduler"), ("optim/optimizer_of", "optim/archive"), ("optim/*", "optim/optimizer"),
    # data
    ("data/dataloader/*", "data/dataloader"), ("data/dataloader_options", "data/dataloader"),
    ("data/datasets/stateful", "data/dataloader"), ("data/datasets/*", "data/datasets"), ("data/example", "data/datasets"),
    ("data/iterator", "data/dataloader"), ("data/samplers/*", "data/samplers"), ("data/transforms/*", "data/transforms"),
    ("data/worker_exception", "data/workers"), ("data/worker_info", "data/workers"),
    ("serialize/file_values", "serialize/save_load"), ("serialize/npz", "serialize/save_load"),
    ("serialize/safetensors", "serialize/hostile"), ("inspect/html", "inspect/flow_view"),
    ("distributions/transform", "distributions/transforms"), ("distributions/transformed_distribution", "distributions/transforms"),
    ("distributions/*", "distributions/families"), ("script/*", "script/module"),
    # agents
    ("rl/collectors/collector_options", "rl/collector"), ("rl/collectors/data_collector_base", "rl/collector"),
    ("rl/envs/check_env_specs", "rl/env_base"),
    ("rl/envs/classic_control/*", "rl/classic_control"), ("rl/envs/env_specs", "rl/env_base"),
    ("rl/envs/gym_env", "rl/classic_control"), ("rl/envs/transforms/*", "rl/transforms"), ("rl/modules/egreedy", "rl/actors"),
    ("rl/modules/exploration_type", "rl/actors"), ("rl/distributions", "rl/actors"), ("rl/modules/mlp", "rl/tensordict_module"),
    ("rl/modules/normal_param_extractor", "rl/tensordict_module"), ("rl/modules/probabilistic", "rl/actors"),
    ("rl/modules/tensordict_*", "rl/tensordict_module"), ("rl/objectives/loss_module", "rl/target_updates"),
    ("rl/objectives/value/functional", "rl/estimators"), ("rl/objectives/*", "rl/losses"), ("rl/policy", "rl/actors"),
    ("rl/replay/lazy_memmap_storage", "rl/replay_saved"), ("rl/replay/prioritized_*", "rl/replay_prioritized"),
    ("rl/replay/segment_tree", "rl/replay_segment_tree"), ("rl/replay/slice_sampler", "rl/replay_slices"),
    ("rl/replay/tensordict_replay_buffer", "rl/replay_prioritized"), ("rl/replay/*", "rl/replay_buffer"),
    ("rl/specs/*", "rl/specs"),
]
# what stands behind the things that the test calls, and which it does not name
UNNAMED = ("autograd/attention_mask", "autograd/exact_argument", "autograd/kernels/*", "autograd/pointwise/device",
           "autograd/self_reporting_hook", "autograd/spin_lock", "autograd/thread_limit", "inspect/html", "nn/hook_list",
           "nn/registered_module", "nn/type_name", "rl/envs/env_specs", "rl/replay/loadable", "rl/replay/random_sampler",
           "rl/replay/tensor_storage", "rl/distributions", "script/*")
DECLARED = re.compile(r"\b(?:class|struct|enum class|enum|using|concept|#define)\s+(\w+)|\b(\w+)\(|REEL_MODULE(?:_OF)?\((\w+)")
INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)", re.M)


def headers(root):
    """(`LIB/.../STEM`, path) of every header but umbrellas, without the folder `detail` in the name."""
    for path in sorted((root / "libs").glob("*/include/reel/**/*.hpp")):
        name = path.as_posix().split("/include/reel/")[1].removesuffix(".hpp")
        code = re.sub(r"//[^\n]*|^[ \t]*#[^\n]*", "", path.read_text(), flags=re.M).strip()
        if "/" in name and code:
            yield name.replace("/detail/", "/"), path


def public_headers(root):
    """Those that need a test. A library without a folder of tests is only about to be."""
    return [(name, path) for name, path in headers(root)
            if "/detail/" not in path.as_posix() and (root / "test" / name.split("/")[0]).is_dir()]


def own_test(root, name):
    """test/LIB/STEM.cpp, None when there is none."""
    library, *folders, stem = name.split("/")
    if "kernels" in folders:  # of an op, whose tests have that stem
        return None
    found = sorted(p for p in (root / "test" / library).rglob(stem + ".cpp"))
    return found[0] if found else None


def row_of(name):
    return next(((pattern, test) for pattern, test in COVERED_BY if fnmatch.fnmatchcase(name, pattern)), None)


def headers_have_tests(root):
    """Every public header has a test of its stem or a row, and every row a header."""
    needed = {row_of(name) for name, _ in set(headers(root)) - set(public_headers(root))}
    for name, path in public_headers(root):
        if own_test(root, name):
            continue
        row = row_of(name)
        if not row:
            yield f"reel/{name}.hpp: no test/{name.split('/')[0]}/{name.split('/')[-1]}.cpp, and no row in test/rules/header_tests.py"
            continue
        needed.add(row)
        test = root / f"test/{row[1]}.cpp"
        if not test.exists():
            yield f"test/rules/header_tests.py: {row[0]}: there is no test/{row[1]}.cpp"
            continue
        words = {w for found in DECLARED.findall(re.sub(r"//[^\n]*", "", path.read_text())) for w in found if len(w) > 2}
        if not any(fnmatch.fnmatchcase(name, u) for u in UNNAMED) and not words & set(re.findall(r"\w+", test.read_text())):
            yield f"test/{row[1]}.cpp mentions nothing that reel/{name}.hpp declares"
    for row in COVERED_BY:
        if row not in needed:
            yield f"test/rules/header_tests.py: no header needs the row {row[0]}"


def tests_include_their_header_first(root):
    """So each header is seen to need nothing that happens to stand before it."""
    mirrored = {}  # a test may have the stem of several
    for name, _ in public_headers(root):
        if test := own_test(root, name):
            mirrored.setdefault(test, []).append(f"reel/{name}.hpp")
    for test, names in mirrored.items():
        if (INCLUDED.findall(test.read_text()) or [""])[0] not in names:
            yield f"{test.relative_to(root).as_posix()}: its first #include is not <{' or '.join(names)}>"
