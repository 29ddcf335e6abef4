# What a person types. `make` alone says what there is; CMakeLists.txt builds.
# Written for GNU Make 3.81 and later.
BUILD     ?= build
export BUILD ONLY YES JOBS
NUMBERS   := $(shell ls -d chapters/[0-9][0-9]-* 2>/dev/null | \
                     sed 's|chapters/0\{0,1\}\([0-9]*\)-.*|\1|')
CHAPTERS  := $(addprefix chapter-,$(NUMBERS))
EXERCISES := $(addprefix exercise-,$(shell \
  ls -d chapters/*/exercises/[0-9]* 2>/dev/null | sed \
  's|chapters/0\{0,1\}\([0-9]*\)-[^/]*/exercises/\(.*\)|\1.\2|'))
# Chapter 0 is prose alone.
BUILT     := $(filter-out 0,$(NUMBERS))

# `make chapter-4 test`: make sees two goals. `test` and `read` look at what
# stands beside them.
WANTED    := $(filter chapter-% exercise-%,$(MAKECMDGOALS))
UNKNOWN   := $(filter-out $(CHAPTERS) $(EXERCISES),$(WANTED))
ifneq ($(UNKNOWN),)
  $(error no $(UNKNOWN) here. There are: $(CHAPTERS) $(EXERCISES))
endif
TESTING   := $(filter test tests,$(MAKECMDGOALS))
READING   := $(filter read book,$(MAKECMDGOALS))
CHOSEN    := $(patsubst chapter-%,%,$(filter chapter-%,$(WANTED)))
LAST      := $(shell printf '%s\n' $(CHOSEN) | sort -n | tail -1)
UPTO      := $(if $(LAST),$(shell for n in $(BUILT); do \
               [ $$n -le $(LAST) ] && echo chapter_$$n; done))
RUN       := $(if $(WANTED),$(if $(LAST),base $(UPTO)) \
               $(filter exercise-%,$(WANTED)),\
               base $(addprefix chapter_,$(BUILT)) python cli)

# CMake is told how many jobs to run; two of it in one folder would collide.
.NOTPARALLEL:
.PHONY: help setup setup-build setup-test all test tests test-long golden \
        gpu-test size format docs read book clean demo softmax rmsnorm \
        attention $(CHAPTERS) $(EXERCISES)

help:
	@echo 'make demo               one program through six stages, and a checked run'
	@echo 'make softmax            the same for softmax; also: rmsnorm, attention'
	@echo 'make test               build everything, run every test'
	@echo 'make test-long          the same with all of each random and suite test'
	@echo 'make chapter-4 test     chapters 1 to 4 alone; ONLY=4.3 for one section'
	@echo 'make exercise-4.1 test  your answer, my/4.1.cpp (made at the first call)'
	@echo 'make read               the book, in a browser; also: make chapter-4 read'
	@echo 'make golden             accept what the stages print now, show the change'
	@echo 'make gpu-test           every golden program on an NVIDIA GPU, checked'
	@echo 'make size | format | docs | setup | clean'
	@echo
	@echo 'There are: $(CHAPTERS) $(EXERCISES)'

setup:
	@scripts/setup build test read extra && echo 'Everything is here.'
setup-build:
	@scripts/setup build
setup-test:
	@scripts/setup build test

all: setup-build
	@scripts/build all

demo: setup-build
	@scripts/build sextant && scripts/demo seed
softmax rmsnorm attention: setup-build
	@scripts/build sextant && scripts/demo $@

$(CHAPTERS): chapter-%: $(if $(READING),,setup-test)
ifneq ($(READING),)
	@:
else
	@$(if $(filter $*,$(BUILT)),scripts/build upto-$*,:)
	@$(if $(TESTING),:,$(if $(filter 0,$*),echo 'Prose: make $@ read',\
	  echo 'Chapters 1 to $* are built. Test: make $@ test'))
endif

$(EXERCISES): exercise-%: setup-test
	@test -f my/$*.cpp || { mkdir -p my && cp chapters/$$(printf %02d \
	  $(basename $*))-*/exercises/$(patsubst .%,%,$(suffix $*))/start.cpp \
	  my/$*.cpp && echo 'Your file is my/$*.cpp'; }
	@scripts/build $@_test
	@$(if $(TESTING),:,echo 'Built. Test it: make $@ test')

tests: test
test: $(if $(WANTED),| $(WANTED),setup-test)
	@$(if $(WANTED),:,scripts/build all)
	@scripts/run-tests $(RUN)

test-long:
	@SEXTANT_LONG=1 $(MAKE) --no-print-directory test

golden: setup-test
	@scripts/build all
	@for t in base python $(addprefix chapter_,$(BUILT)) cli; do \
	  [ -x $(BUILD)/$${t}_test ] || continue; \
	  SEXTANT_WRITE_GOLDEN=1 $(BUILD)/$${t}_test '[golden]' > $(BUILD).log 2>&1 \
	    || { grep -q 'No tests ran' $(BUILD).log || cat $(BUILD).log; }; \
	done
	@SITE=$(BUILD)/site scripts/read --no-open > /dev/null 2>&1; \
	SITE=$(BUILD)/site scripts/commands --write
	@git --no-pager diff --stat -- golden; \
	git ls-files --others --exclude-standard -- golden

# Takes a prebuilt command, too: SEXTANT=path make gpu-test.
gpu-test:
	@$(if $(SEXTANT),:,scripts/build sextant)
	@scripts/gpu-test

size:
	@scripts/size
format:
	@git ls-files '*.h' '*.cpp' ':!book/test' | xargs clang-format -i
docs:
	@scripts/docs
read book:
	@scripts/setup read
	@scripts/read $(if $(filter book,$@),--no-open) $(CHOSEN)
clean:
	rm -rf $(BUILD) $(BUILD).log site
