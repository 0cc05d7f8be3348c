// Scripts: archives of torch.jit.save, their modules, and the language that they are written in.
#pragma once

#include <reel/script/compile.hpp>
#include <reel/script/compiled_function.hpp>
#include <reel/script/export_program.hpp>
#include <reel/script/exported_program.hpp>
#include <reel/script/freeze.hpp>
#include <reel/script/function.hpp>
#include <reel/script/graph.hpp>
#include <reel/script/load_save.hpp>
#include <reel/script/module.hpp>
#include <reel/script/named.hpp>
#include <reel/script/object.hpp>
#include <reel/script/operator.hpp>
#include <reel/script/schema.hpp>
#include <reel/script/source.hpp>
#include <reel/script/symbol.hpp>
#include <reel/script/trace.hpp>
#include <reel/script/type.hpp>
#include <reel/script/type_names.hpp>
