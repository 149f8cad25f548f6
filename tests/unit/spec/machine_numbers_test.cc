// The numbers of the machine catalogue, once more and from the sources alone: what an entry has is
// held against a line of this table, and every entry has a line.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "file_text.h"
#include "spec/machine.h"
#include "support.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

// GPUs, memory of one in GiB, CPUs, memory, allocatable CPU and memory, network devices, what a
// whole node asks for, the fabric;
// `-` where no source says it.
constexpr std::string_view kTable = R"(
# Google Cloud, accelerator-optimized machine table; GPU memory is the total by the number of GPUs
a2-highgpu-8g        8  40  96   680G  - -  -  -  none
a2-megagpu-16g       16 40  96   1360G - -  -  -  none
a2-ultragpu-8g       8  80  96   1360G - -  -  -  none
a3-highgpu-1g        1  80  26   234G  - -  -  -  none
a3-highgpu-2g        2  80  52   468G  - -  -  -  none
a3-highgpu-4g        4  80  104  936G  - -  -  -  none
a3-highgpu-8g        8  80  208  1872G - -  4  -  gke-tcpx
a3-edgegpu-8g        8  80  208  1872G - -  4  -  gke-tcpx
a3-megagpu-8g        8  80  208  1872G - -  8  -  gke-tcpxo
a3-ultragpu-8g       8  141 224  2952G - -  8  -  gke-rdma
a4-highgpu-8g        8  180 224  3968G - -  8  -  gke-rdma
a4x-highgpu-4g       4  186 140  884G  - -  4  -  nvl72/gke-rdma
a4x-maxgpu-4g-metal  4  279 144  960G  - -  8  -  nvl72/gke-rdma
# aws/karpenter-provider-aws instance-type reference; EFA awslabs/awsome-distributed-ai
p4d.24xlarge         8  40  96   1179648Mi 95690m  1082712Mi 4  vpc.amazonaws.com/efa=4  aws-efa
p4de.24xlarge        8  80  96   1179648Mi 95690m  1082712Mi 4  vpc.amazonaws.com/efa=4  aws-efa
p5.4xlarge           1  80  16   262144Mi  15890m  240830Mi  1  vpc.amazonaws.com/efa=1  aws-efa
p5.48xlarge          8  80  192  2097152Mi 191450m 1938410Mi 32 vpc.amazonaws.com/efa=32 aws-efa
p5e.48xlarge         8  141 192  2097152Mi 191450m 1938410Mi 32 vpc.amazonaws.com/efa=32 aws-efa
p5en.48xlarge        8  141 192  2097152Mi 191450m 1937332Mi 16 vpc.amazonaws.com/efa=16 aws-efa
p6-b200.48xlarge     8  179 192  2097152Mi 191450m 1937332Mi 8  vpc.amazonaws.com/efa=8  aws-efa
p6-b300.48xlarge     8  268 192  4194304Mi 191450m 3877198Mi 16 vpc.amazonaws.com/efa=16 aws-efa
p6e-gb200.36xlarge   4  186 144  960Gi     -       -         4  vpc.amazonaws.com/efa=4  nvl72/aws-efa
# MicrosoftDocs/azure-compute-docs; Azure/aks-rdma-infiniband
Standard_ND96asr_v4             8 40  96  900Gi  - - 8 rdma/ib=8 infiniband
Standard_ND96amsr_A100_v4       8 80  96  1900Gi - - 8 rdma/ib=8 infiniband
Standard_ND96isr_H100_v5        8 80  96  1900Gi - - 8 rdma/ib=8 infiniband
Standard_ND96isr_H200_v5        8 141 96  1850Gi - - 8 rdma/ib=8 infiniband
Standard_ND96isr_MI300X_v5      8 192 96  1850Gi - - 8 rdma/ib=8 infiniband
Standard_ND128isr_NDR_GB200_v6  4 186 128 864Gi  - - 4 rdma/ib=4 nvl72/infiniband
Standard_ND128isr_GB300_v6      4 288 128 864Gi  - - 4 rdma/ib=4 nvl72/infiniband
# coreweave/nccl-tests; docs.coreweave.com
gd-8xa100-i128    8 80  128 -    - - - rdma/ib=1 infiniband
gd-8xh100ib-i128  8 80  128 2T   - - 8 rdma/ib=1 infiniband
gd-8xh200ib-i128  8 141 128 2T   - - - rdma/ib=1 infiniband
b200-8x           8 180 128 2T   - - - rdma/ib=1 infiniband
b300-8x           8 270 128 -    - - - rdma/ib=1 infiniband
gb200-4x          4 186 144 960G - - - rdma/ib=1 nvl72/infiniband
gb300-4x          4 278 144 -    - - - rdma/ib=1 nvl72/roce
gb300-4x-e        4 278 144 -    - - - rdma/ib=1 nvl72/roce
# NVIDIA DGX user guides and DGX BasePOD reference; two threads to a core of x86
dgx-a100-40gb  8 40  256 1T - - 8 - infiniband
dgx-a100       8 80  256 2T - - 8 - infiniband
dgx-h100       8 80  224 2T - - 8 - infiniband
dgx-h200       8 141 224 2T - - 8 - infiniband
dgx-b200       8 180 224 2T - - 8 - infiniband
gb200-nvl72    4 186 144 -  - - 4 - nvl72/infiniband
# nebius/nebius-solution-library
nebius-h100-8gpu  8 80  128 1600G - - 8 - infiniband
nebius-h200-8gpu  8 141 128 1600G - - 8 - infiniband
# oracle-quickstart/oci-hpc-oke; virtual functions where there are any, else HCAs
BM.GPU4.8            8 40  - - - - 16 nvidia.com/rdma-vf=16 roce
BM.GPU.B4.8          8 40  - - - - 16 nvidia.com/rdma-vf=16 roce
BM.GPU.A100-v2.8     8 80  - - - - 16 nvidia.com/rdma-vf=16 roce
BM.GPU.H100.8        8 80  - - - - 16 nvidia.com/rdma-vf=16 roce
BM.GPU.H200.8        8 141 - - - - 8  nvidia.com/rdma-vf=8  roce
BM.GPU.B200.8        8 180 - - - - 8  nvidia.com/rdma-vf=8  roce
BM.GPU.B300.8        8 270 - - - - 16 nvidia.com/rdma-vf=16 roce
BM.GPU.GB200.4       4 186 - - - - 4  - nvl72/roce
BM.GPU.GB200-v2.4    4 186 - - - - 4  - nvl72/roce
BM.GPU.GB200-v3.4    4 186 - - - - 8  - nvl72/roce
BM.GPU.GB300.4       4 279 - - - - 8  - nvl72/roce
BM.GPU.MI300X.8      8 192 - - - - 8  nvidia.com/rdma-vf=8  roce
BM.GPU.MI355X-v1.8   8 288 - - - - 8  nvidia.com/rdma-vf=8  roce
)";

template <class T>
std::string text_of(const Located<T>& field) {
  if (!field) return "-";
  std::ostringstream out;
  out << *field;
  return out.str();
}

/// `8`, `40960Mi` and `40Gi` of memory in whole GiB.
std::string gibibytes(std::string_view memory) {
  const double amount = std::stod(std::string(memory));
  return std::to_string(static_cast<int>(memory.ends_with("Mi") ? amount / 1024 : amount));
}

std::string line_of(const Machine& machine) {
  std::string line = std::string(*machine.name) + " " + text_of(machine.gpu->count) + " " +
                     gibibytes(text_of(machine.gpu->memory)) + " " + text_of(machine.cpu) + " " +
                     text_of(machine.memory) + " " + text_of(machine.allocatable->cpu) + " " +
                     text_of(machine.allocatable->memory) + " " + text_of(machine.nics) + " ";
  std::string resources;
  for (const auto& each : *machine.resources) {
    resources += std::string(each.key) + "=" + text_of(each.value);
  }
  line += resources.empty() ? "-" : resources;
  line += " " + std::string(*machine.fabric);
  if (machine.underlay) line += "/" + std::string(*machine.underlay);
  return line;
}

std::map<std::string, std::string> table() {
  std::map<std::string, std::string> lines;
  std::istringstream in{std::string(kTable)};
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text.front() == '#') continue;
    std::istringstream words(text);
    std::string line;
    std::string name;
    for (std::string word; words >> word;) {
      if (name.empty()) name = word;
      line += (line.empty() ? "" : " ") + word;
    }
    REQUIRE(lines.emplace(name, line).second);
  }
  return lines;
}

}  // namespace

TEST_CASE("machines have the numbers of their sources") {
  auto expected = table();
  for (const auto& path : files_below("templates/machines", ".yaml")) {
    const Document document(read_file(path));
    Sink sink;
    const MachineCatalogue catalogue =
        decode_machine_catalogue(document.tree(), document.root(), sink);
    for (const Located<Machine>& machine : *catalogue.spec->machines) {
      const std::string name(*machine->name);
      INFO(path.filename() << " " << name);
      CHECK(line_of(*machine) == expected[name]);
      expected.erase(name);
    }
  }
  CHECK(expected.empty());
}
